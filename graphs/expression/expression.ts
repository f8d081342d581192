import type { ASTNode } from '@marcbachmann/cel-js';
import { AppError } from '#src/domain/app-error.ts';
import type { ValueType } from '#graphs/typing/value-type.ts';
import { createEnvironment } from './functions.ts';
import { inferType, type TypeFinding, type TypeScope } from './infer.ts';
import { expressionLimits } from './limits.ts';
import { bound, isExpensive, namesIn, prepare, type Made } from './syntax.ts';
import { resultOf, seen } from './values.ts';
import { OverrunError, tried, watched } from './watchdog.ts';

/** A parsed expression, without state: it can be evaluated any number of times. */
export interface Expression {
  readonly source: string;
  /** Root identifiers in order of appearance, without the variables of `map`, `filter` and the like. */
  readonly names: readonly string[];
  /** True if the run time can grow faster than the source. */
  readonly expensive: boolean;
  /** Type of the value, and what the types of the channels rule out. Never throws. */
  infer(scope: TypeScope): { readonly type: ValueType; readonly findings: readonly TypeFinding[] };
  /**
   * The value as JSON. Names missing in `scope` are null. Throws `expression.failed` for a type error, a missing field, or a time or
   * size over `expressionLimits`.
   */
  evaluate(scope: Readonly<Record<string, unknown>>, limit?: EvaluationLimit): unknown;
}

/** `tryFor`: wall time in milliseconds after which the evaluation throws `OverrunError`, to be repeated in a thread. */
export interface EvaluationLimit {
  readonly tryFor: number;
}

// Shared by all expressions: holds functions and operators only.
const environment = createEnvironment();

/**
 * Parses CEL with the functions of `describeFunctions`. Whole numbers written in the source and `size()` are ints, so `7 / 2` is 3;
 * numbers in channels are doubles; both can be mixed. Throws `workflow.invalid` with the position of the error.
 * Source: https://github.com/google/cel-spec/blob/master/doc/langdef.md
 */
export function parseExpression(source: string): Expression {
  if (source.length > expressionLimits.source) {
    throw new AppError(
      'workflow.invalid',
      `The expression is longer than ${expressionLimits.source} characters. Shorten it.`,
    );
  }
  const made: Made = { left: 0 };
  const parsed = understood(source, () => {
    const result = environment.parse(source);
    prepare(result.ast);
    const checked = result.check();
    if (checked.error) throw checked.error;
    bound(result.ast, made);
    return result;
  });
  const names = namesIn(parsed.ast);
  const expensive = isExpensive(parsed.ast);
  const run = (task: () => unknown, limit?: EvaluationLimit): unknown => {
    if (limit !== undefined) return tried(task, limit.tryFor);
    return expensive ? watched(task) : task();
  };
  return {
    source,
    names,
    expensive,
    infer: (scope) => inferType(parsed.ast, source, scope),
    evaluate(scope, limit) {
      made.left = expressionLimits.made;
      const valuesOf = () =>
        new Map(names.map((name) => [name, Object.hasOwn(scope, name) ? seen(scope[name]) : null]));
      try {
        return run(() => resultOf(parsed(valuesOf())), limit);
      } catch (error) {
        if (error instanceof AppError || error instanceof OverrunError) throw error;
        throw new AppError('expression.failed', `"${excerpt(source)}": ${reason(error)}.`, { cause: error });
      }
    },
  };
}

function understood<Value>(source: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const at = positionOf(error);
    const place = at === undefined ? '' : ` at character ${at + 1}`;
    throw new AppError(
      'workflow.invalid',
      `"${excerpt(source)}" is not a valid expression${place}: ${reason(error)}.`,
      {
        cause: error,
      },
    );
  }
}

function positionOf(error: unknown): number | undefined {
  const range = error instanceof Error && 'range' in error ? (error.range as ASTNode['range'] | undefined) : undefined;
  return range?.start;
}

/** First line of the library's message; the other lines quote the source. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [first = ''] = text.split('\n');
  return excerpt(first.replace(/\.$/, ''));
}

function excerpt(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
