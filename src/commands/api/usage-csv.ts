import { measures, type Usage } from './usage.ts'

/** A header, then a line for every day. Only dates and numbers, so that nothing needs quotes. */
export function renderCsv({ days }: Usage): string {
  const head = ['date', ...measures].join(',')
  const lines = days.map((day) => [day.date, ...measures.map((name) => day[name])].join(','))
  return [head, ...lines].join('\n')
}
