import type { Reply } from '../../api/families.ts';
import { experiments as words } from '../../text/experiments.ts';
import { placesOf, signed, ticksOf, width } from './interval-axis.ts';

export type Comparison = Reply<'experiments', 'get'>['comparisons'][number];

const rowHeight = 30;
const tones: Partial<Record<Comparison['verdict'], string>> = { better: 'ok', worse: 'bad', equivalent: 'info' };

/** Intervals of one metric: one line for each variant, around a zero line. The table beside it says the same in words. */
export function IntervalPlot({
  metric,
  comparisons,
}: {
  readonly metric: string;
  readonly comparisons: readonly Comparison[];
}) {
  const most = Math.max(0.01, ...comparisons.flatMap(({ ci95, delta }) => [...ci95, delta].map(Math.abs))) * 1.1;
  const height = comparisons.length * rowHeight + 26;
  const x = placesOf(most);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={words.plotLabel(metric)}
      className="w-full max-w-2xl"
    >
      {ticksOf(most).map((tick) => (
        <g key={tick}>
          <line
            x1={x(tick)}
            x2={x(tick)}
            y1={4}
            y2={height - 20}
            stroke={tick === 0 ? 'var(--line-strong)' : 'var(--line)'}
            strokeDasharray={tick === 0 ? undefined : '3 3'}
          />
          <text x={x(tick)} y={height - 6} textAnchor="middle" fontSize={13} fill="var(--muted)">
            {tick === 0 ? '0' : signed(tick)}
          </text>
        </g>
      ))}
      {comparisons.map(({ variant, ci95: [low, high], delta, verdict }, at) => {
        const y = at * rowHeight + rowHeight / 2 + 2;
        const colour = `var(--${tones[verdict] ?? 'muted'})`;
        return (
          <g key={variant} stroke={colour} fill={colour}>
            <text x={0} y={y + 4} fontSize={14} fill="var(--fg)" stroke="none">
              {variant.length > 12 ? `${variant.slice(0, 11)}…` : variant}
            </text>
            <path d={`M${x(low)} ${y - 5}v10m0-5H${x(high)}m0-5v10`} strokeWidth={2.5} />
            <circle cx={x(delta)} cy={y} r={4.5} />
          </g>
        );
      })}
    </svg>
  );
}

/** The same intervals as numbers. */
export function IntervalTable({
  comparisons,
  primary,
}: {
  readonly comparisons: readonly Comparison[];
  readonly primary: string;
}) {
  return (
    <section
      aria-label={words.intervalsTable}
      tabIndex={0}
      className="relative overflow-x-auto rounded-lg border border-line bg-panel"
    >
      <table className="table named min-w-[40rem]">
        <thead>
          <tr>
            <th scope="col">{words.metric}</th>
            <th scope="col">{words.variant}</th>
            <th scope="col">{words.verdict}</th>
            <th scope="col" className="number">
              {words.delta}
            </th>
            <th scope="col" className="number">
              {words.interval}
            </th>
            <th scope="col" className="number">
              {words.winsLosses}
            </th>
            <th scope="col" className="number">
              {words.harmed}
            </th>
          </tr>
        </thead>
        <tbody>
          {comparisons.map(({ metric, variant, verdict, delta, ci95: [low, high], n, wins, ties, losses, harmed }) => (
            <tr key={`${metric} ${variant}`}>
              <th scope="row">
                <span dir="auto">{metric}</span>{' '}
                {metric === primary && <span className="text-xs">({words.primary})</span>}
              </th>
              <td dir="auto">{variant}</td>
              <td>{words.verdicts[verdict]}</td>
              <td className="number">{n === 0 ? words.missing : signed(delta)}</td>
              <td className="number whitespace-nowrap">
                {n === 0 ? words.missing : `${signed(low)} … ${signed(high)}`}
              </td>
              <td className="number whitespace-nowrap">
                {wins} / {ties} / {losses}
              </td>
              <td className="number">{harmed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
