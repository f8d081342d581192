/* A forest plot: the mean difference of each comparison to the baseline, with its interval. */
import { drawn } from './bridge.js';

const sizes = { labels: 190, plot: 300, numbers: 170, row: 30, head: 8, axis: 34 };
const colors = { better: 'good', worse: 'bad', equivalent: 'run', inconclusive: 'soft', no_verdict: 'bad' };

/** Writes a difference with its sign and without the zero before the point. */
export function signed(value) {
  const text = Math.abs(value).toFixed(3).replace(/^0/, '');
  if (Number(text) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** Round steps of the axis, four to eight of them. */
function ticksOf(low, high) {
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => (first + at) * step);
}

function rangeOf(comparisons) {
  const ends = [0, ...comparisons.flatMap(({ delta, ci95 }) => [delta, ...ci95])];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = Math.max((high - low) * 0.08, 0.005);
  return [low - pad, high + pad];
}

const text = ([x, y], className, anchor, words) =>
  drawn('text', { x, y, class: className, 'text-anchor': anchor }, words);

function rowOf({ variant, metric, verdict, delta, ci95, sentence }, y, at) {
  const [from, to] = ci95.map(at);
  const middle = y + sizes.row / 2;
  const className = `estimate ${colors[verdict] ?? 'soft'}`;
  return drawn(
    'g',
    { class: className },
    drawn('title', {}, `${variant}, ${metric}: ${sentence}`),
    text([0, middle + 4], 'label', 'start', `${variant} · ${metric}`),
    drawn('line', { x1: from, x2: to, y1: middle, y2: middle }),
    drawn('line', { x1: from, x2: from, y1: middle - 4, y2: middle + 4 }),
    drawn('line', { x1: to, x2: to, y1: middle - 4, y2: middle + 4 }),
    drawn('rect', { x: at(delta) - 4, y: middle - 4, width: 8, height: 8 }),
    text(
      [sizes.labels + sizes.plot + sizes.numbers, middle + 4],
      'label',
      'end',
      `${signed(delta)} [${signed(ci95[0])}, ${signed(ci95[1])}]`,
    ),
  );
}

export function forest(comparisons) {
  const [low, high] = rangeOf(comparisons);
  const at = (value) => sizes.labels + ((value - low) / (high - low)) * sizes.plot;
  const width = sizes.labels + sizes.plot + sizes.numbers;
  const bottom = sizes.head + comparisons.length * sizes.row;
  const svg = drawn('svg', {
    viewBox: `0 0 ${width} ${bottom + sizes.axis}`,
    class: 'forest',
    role: 'img',
    'aria-label': 'Differences to the baseline with their intervals',
  });
  for (const tick of ticksOf(low, high))
    svg.append(
      drawn('line', { class: 'grid', x1: at(tick), x2: at(tick), y1: sizes.head, y2: bottom }),
      text([at(tick), bottom + 14], 'tick', 'middle', signed(tick)),
    );
  svg.append(drawn('line', { class: 'zero', x1: at(0), x2: at(0), y1: sizes.head, y2: bottom }));
  svg.append(
    text([at(0) - 6, bottom + 29], 'tick', 'end', '← baseline better'),
    text([at(0) + 6, bottom + 29], 'tick', 'start', 'variant better →'),
  );
  for (const [index, one] of comparisons.entries()) svg.append(rowOf(one, sizes.head + index * sizes.row, at));
  return svg;
}
