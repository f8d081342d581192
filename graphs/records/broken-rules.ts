import type { NodeComputing } from '#graphs/compute/computing.ts';
import { parseExpression } from '#graphs/expression/expression.ts';
import { OverrunError } from '#graphs/expression/watchdog.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { RecordRule } from '#src/domain/records/record-type.ts';
import type { RecordValues } from '#src/domain/records/values.ts';

/** Rules over values that are all there: a rule about a missing value says nothing. */
function applicable(rules: readonly RecordRule[], values: RecordValues): readonly RecordRule[] {
  return rules.filter(({ expression }) =>
    parseExpression(expression).names.every((name) => (values[name] ?? null) !== null),
  );
}

/** True for a value inside that is missing, such as an unknown currency: the rule says nothing then. */
const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'expression.failed';

/** Names of the rules that are false, within the budget of a visit. Throws `run.compute_exceeded`. */
export async function brokenRules(
  rules: readonly RecordRule[],
  values: RecordValues,
  computing: NodeComputing,
): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  for (const { name, expression } of applicable(rules, values)) {
    try {
      const [holds] = await computing.evaluate([expression], values);
      if (holds === false) broken.add(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return broken;
}

/** Wall time of all rules of a call, in milliseconds. They are evaluated on the event loop. */
const callMs = 10;

/** Names of the rules that are false. Those that do not fit into the time are left out. */
export function brokenSoon(rules: readonly RecordRule[], values: RecordValues): ReadonlySet<string> {
  const until = performance.now() + callMs;
  const broken = new Set<string>();
  for (const { name, expression } of applicable(rules, values)) {
    const tryFor = until - performance.now();
    if (tryFor <= 0) break;
    try {
      if (parseExpression(expression).evaluate(values, { tryFor }) === false) broken.add(name);
    } catch (error) {
      if (!isMissing(error) && !(error instanceof OverrunError)) throw error;
    }
  }
  return broken;
}
