import { columns, type Column, type Counts } from '#test/budgets/meter.ts';

/**
 * Most that one use of each path may cost, counted in the whole service with the embedded engine.
 *
 * - commands: sent to the database; sent, received: their bytes, and those of the replies
 * - rows: documents of collections written or deleted; entries: of their indexes
 * - changes, bytes: all rows that the engine's file got, with replies to retryable writes and postings of searches, and their bytes
 * - syncs: of the database; opens, file syncs: of the object store
 * - reply: bytes of the response
 * - slack: percent below the budget that passes. Of bytes, 5 % pass in any row.
 *
 * A change that costs more fails; one that saves more than the slack fails too, until the row is lowered. A failure prints the new row.
 */
const table = `
path                             | commands |  sent | received | rows | entries | changes | bytes | syncs | opens | file syncs | reply | slack
presign                          |        3 |  1720 |      656 |     4 |       3 |       9 |  1300 |     1 |     0 |          0 |   490 |     0
ack                              |       11 |  6800 |     2740 |     8 |      26 |      39 |  6440 |     2 |     3 |          0 |   737 |     0
document by id                   |        2 |   665 |     1450 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |   728 |     0
list of 25                       |        2 |   583 |    14800 |     0 |       0 |       0 |     0 |     0 |     0 |          0 | 15000 |     0
execution accepted               |        9 |  4450 |     2210 |     5 |      16 |      25 |  3400 |     1 |     0 |          0 |   596 |     0
tools/call get_context           |        3 |   762 |     1160 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |  1670 |     0
tools/call get_workflow          |        2 |   522 |     1310 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |  9900 |     0
tools/call create_workflow       |        3 |  5410 |      805 |     2 |       5 |       9 |  5050 |     2 |     0 |          0 |   880 |     0
realtime event                   |        2 |   875 |      206 |     2 |       4 |       8 |   775 |     0 |     0 |          0 |   423 |     0
run of 5 no-op steps             |       21 | 27100 |     6490 |    50 |     132 |     194 | 33800 |     2 |     0 |          0 |   596 |     0
search                           |        6 |  2880 |     3080 |     0 |       0 |       0 |     0 |     0 |     0 |          0 |  1780 |     0
chat question                    |       20 | 10400 |     6600 |     4 |       8 |      17 |  3820 |     5 |     0 |          0 |  2640 |     0
upload and its default workflow  |       96 | 97000 |    53700 |    91 |     194 |     346 | 96600 |     4 |    13 |          5 |   740 |    20
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

/** Three digits, rounded up. */
function roundedUp(bytes: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, bytes))) - 2);
  return Math.ceil(bytes / unit) * unit;
}

/** The row that `counts` would have in the table. */
export function rowOf(path: string, counts: Counts, slack: number): string {
  const values = [path, ...columns.map((name) => (inBytes.has(name) ? roundedUp(counts[name]) : counts[name])), slack];
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
