import { measures, type Usage } from './usage.ts'

/** A head, then a line for every day. Dates and numbers alone, so that nothing needs quotes. */
export function renderCsv({ days }: Usage): string {
  const head = ['date', ...measures].join(',')
  const lines = days.map((day) => [day.date, ...measures.map((name) => day[name])].join(','))
  return [head, ...lines].join('\n')
}
