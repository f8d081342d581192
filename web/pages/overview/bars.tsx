import { day as dayText } from '../../text/format.ts';
import { overview as words } from '../../text/overview.ts';

export interface Series {
  readonly name: string;
  /** Class of the bars' colour: `fill-ok`. */
  readonly fill: string;
}

interface BarsProps {
  readonly title: string;
  readonly series: readonly Series[];
  /** Values in the order of the series. */
  readonly days: readonly { readonly day: string; readonly values: readonly number[] }[];
}

const width = 600;
const height = 120;

/** Stacked bars by day, and the same as a table for people who do not see them. */
export function Bars({ title, series, days }: BarsProps) {
  const most = Math.max(1, ...days.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const step = width / Math.max(1, days.length);
  return (
    <figure className="rounded-lg border border-line bg-panel p-4">
      <figcaption className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2>{title}</h2>
        {series.length > 1 && (
          <span className="flex gap-3 text-xs text-muted">
            {series.map(({ name, fill }) => (
              <span key={name} className="inline-flex items-center gap-1">
                <svg width={10} height={10} aria-hidden>
                  <rect width={10} height={10} rx={2} className={fill} />
                </svg>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} className="h-32 w-full" preserveAspectRatio="none" aria-hidden>
        <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
        {days.map(({ day, values }, at) => {
          let top = height;
          return (
            <g key={day}>
              <title>{`${dayText(day)}: ${values.join(', ')}`}</title>
              {values.map((value, index) => {
                const tall = (value / most) * (height - 6);
                top -= tall;
                const { name, fill } = series[index] ?? { name: '', fill: '' };
                return (
                  <rect
                    key={name}
                    x={at * step + step * 0.12}
                    width={step * 0.76}
                    y={top}
                    height={tall}
                    className={fill}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <div className="flex justify-between text-xs text-muted">
        <span>{days[0] !== undefined && dayText(days[0].day)}</span>
        <span>{days.length > 1 && dayText(days.at(-1)?.day ?? '')}</span>
      </div>
      <table className="sr-only">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.day}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, values }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {values.map((value, index) => (
                <td key={series[index]?.name}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
