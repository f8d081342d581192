import { columns, type Column, type Counts } from '#test/budgets/meter.ts';

/**
 * Most that one use of each path may cost, counted in the whole service with the embedded engine.
 *
 * - commands: sent to the database; sent, received: their bytes, and those of the replies
 * - rows: documents of collections written or deleted; left: documents more than before, in all collections; entries: of their indexes
 * - changes, bytes: all rows that the engine's file got, with replies to retryable writes and postings of searches, and their bytes
 * - syncs: of the database; opens, file syncs: of the object store
 * - reply: bytes of the response
 * - slack: percent below the budget that passes. Of bytes, 5 % pass in any row.
 *
 * A run of over 100 ms, on a busy machine, shows itself on its document as running: one command, and one row, more. The same is true where
 * the event of its creation does not wait for its end: the run of five steps has both numbers within its slack.
 *
 * A change that costs more fails; one that saves more than the slack fails too, until the row is lowered. A failure prints the new row.
 */
const table = `
path                             | commands |  sent | received | rows |  left | entries | changes | bytes | syncs | opens | file syncs | reply | slack
presign                          |        3 |  1740 |      663 |     4 |     1 |       3 |       9 |  1320 |     1 |     0 |          0 |   495 |     0
ack                              |        6 |  6760 |     2060 |     6 |     4 |      35 |      42 |  7840 |     1 |     0 |          0 |   966 |     0
document by id                   |        2 |   658 |     1470 |     0 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |   777 |     0
list of 25                       |        2 |   582 |    14000 |     0 |     0 |       0 |       0 |     0 |     0 |     0 |          0 | 15800 |     0
execution accepted               |        7 |  4640 |     1770 |     5 |     3 |      18 |      25 |  4280 |     1 |     0 |          0 |   602 |     0
tools/call get_context           |        3 |   763 |     1170 |     0 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |  2120 |     0
tools/call get_workflow          |        2 |   528 |     1330 |     0 |     0 |       0 |       0 |     0 |     0 |     0 |          0 | 10200 |     0
tools/call create_workflow       |        4 |  6130 |      855 |     3 |     3 |      11 |      17 |  5890 |     2 |     0 |          0 |   942 |     0
realtime event                   |        1 |   577 |       42 |     1 |     1 |       5 |       7 |   643 |     0 |     0 |          0 |   429 |     0
run of 5 no-op steps             |       10 | 15700 |     3800 |     9 |     3 |      47 |      60 | 18900 |     2 |     0 |          0 |   602 |    15
search                           |        9 |  4530 |     7400 |     0 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |  1750 |     0
chat question                    |       20 | 13300 |     7700 |     4 |     3 |       8 |      14 |  4270 |     2 |     0 |          0 |  3040 |     0
upload and its default workflow  |       34 | 65500 |    24500 |    26 |    12 |     100 |     142 | 73000 |     4 |    11 |          5 |   833 |    20
`;

export interface Budget extends Counts {
  readonly path: string;
  readonly slack: number;
}

const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());

export function readBudgets(text = table): readonly Budget[] {
  const [head = '', ...lines] = text.trim().split('\n');
  const names = cells(head);
  return lines.map((line) => {
    const [path, ...numbers] = cells(line);
    if (numbers.length !== names.length - 1) throw new Error(`this row has ${numbers.length} numbers: ${line}`);
    return { path, ...Object.fromEntries(numbers.map((number, at) => [names[at + 1], Number(number)])) } as Budget;
  });
}

const pathWidth = 32;
const inBytes: ReadonlySet<Column> = new Set(['sent', 'received', 'bytes', 'reply']);

/** One percent more, in three digits: numbers of events grow, and with them their text. */
function withMargin(bytes: number): number {
  const most = bytes * 1.01;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))) - 2);
  return Math.ceil(most / unit) * unit;
}

/** The row that `counts` would have in the table. */
export function rowOf(path: string, counts: Counts, slack: number): string {
  const values = [path, ...columns.map((name) => (inBytes.has(name) ? withMargin(counts[name]) : counts[name])), slack];
  const [head = ''] = table.trim().split('\n');
  const widths = cells(head).map((name, at) => (at === 0 ? pathWidth : Math.max(name.length, 5)));
  return values
    .map((value, at) => (at === 0 ? path.padEnd(pathWidth) : String(value).padStart(widths[at] ?? 0)))
    .join(' | ');
}

/** Sentences about the counts that are not within the budget. */
export function outside(budget: Budget, counts: Counts): string[] {
  return columns.flatMap((name) => {
    const [most, count] = [budget[name], counts[name]];
    const slack = Math.max(budget.slack, inBytes.has(name) ? 5 : 0);
    if (count > most) return [`${name}: ${count} are more than the budget of ${most}`];
    if (count < Math.floor(most * (1 - slack / 100))) return [`${name}: ${count}, so lower the budget of ${most}`];
    return [];
  });
}
