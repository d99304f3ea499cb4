import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent } from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { shortNumber } from './api/chart.ts'
import { type Share, withRest } from './api/usage.ts'

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer])

const WIDTH = 1040
const HEIGHT = 260
const ROW_HEIGHT = 30
/** If there are more shares, the rest is combined in the last row. */
export const MOST_ROWS = 12
const COLOURS = ['#4361ee', '#2a9d8f', '#e76f51', '#f4a261', '#8338ec', '#6c757d']

/** Values by day, a bar or a line for each series. */
export function chartByDay(
  days: readonly string[],
  series: readonly { name: string; type: 'bar' | 'line'; values: readonly number[] }[],
): string {
  return draw(HEIGHT, {
    grid: { left: 60, right: 20, top: 40, bottom: 30 },
    legend: { top: 4, icon: 'roundRect', itemGap: 30 },
    xAxis: { type: 'category', data: [...days], axisTick: { show: false } },
    yAxis: { type: 'value', axisLabel: { formatter: shortNumber } },
    series: series.map(({ values, ...one }) => ({
      ...one,
      data: [...values],
      smooth: false,
      symbolSize: 4,
      barMaxWidth: 26,
    })),
  })
}

/** The largest shares as bars, with the rest combined in the last one. */
export function chartOfShares(shares: readonly Share[], format = shortNumber): string {
  const rows = withRest(shares, MOST_ROWS)
  return draw(rows.length * ROW_HEIGHT + 30, {
    grid: { left: 250, right: 70, top: 4, bottom: 24 },
    xAxis: {
      type: 'value',
      // An axis of durations has no labels: round numbers of milliseconds are not round durations.
      axisLabel: { formatter: format, show: format === shortNumber },
      // Counts need no fractional steps.
      minInterval: rows.every(({ count }) => Number.isInteger(count)) ? 1 : 0,
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows.map(({ name }) => name),
      axisTick: { show: false },
      axisLabel: { width: 230, overflow: 'truncate' },
    },
    series: [
      {
        type: 'bar',
        data: rows.map(({ count }) => count),
        barMaxWidth: 18,
        label: {
          show: true,
          position: 'right',
          formatter: ({ value }: { value: number }) => format(value),
        },
      },
    ],
  })
}

/** Renders a chart as SVG, without a browser. */
function draw(height: number, option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  chart.setOption({ animation: false, color: COLOURS, ...option })
  const svg = chart.renderToSVGString({ useViewBox: true })
  chart.dispose()
  return svg
}
