import { Environment } from '@marcbachmann/cel-js';
import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';
import { resultOf } from './values.ts';

interface ExpressionFunction {
  readonly signature: string;
  readonly summary: string;
  readonly run: (...args: never[]) => unknown;
}

/** Pure functions that expressions can use in addition to those of CEL. */
const expressionFunctions: readonly ExpressionFunction[] = [
  {
    signature: 'range(dyn): list<int>',
    summary: 'List of the whole numbers from 0 to n - 1; n is at most 1000',
    run: range,
  },
  { signature: 'string.lower(): string', summary: 'Converts to lower case', run: (text: string) => text.toLowerCase() },
  { signature: 'lower(string): string', summary: 'Converts to lower case', run: (text: string) => text.toLowerCase() },
  { signature: 'string.upper(): string', summary: 'Converts to upper case', run: (text: string) => text.toUpperCase() },
  { signature: 'upper(string): string', summary: 'Converts to upper case', run: (text: string) => text.toUpperCase() },
  { signature: 'trim(string): string', summary: 'Removes surrounding white space', run: (text: string) => text.trim() },
  { signature: 'split(string, string): list<string>', summary: 'Splits a text at a separator', run: split },
  { signature: 'join(list, string): string', summary: 'Joins items as text, with a separator', run: join },
  {
    signature: 'string.replace(string, string): string',
    summary: 'Replaces every occurrence of a literal text',
    run: replace,
  },
  { signature: 'replace(string, string, string): string', summary: 'Same as text.replace(find, with)', run: replace },
  { signature: 'round(dyn): int', summary: 'Nearest whole number', run: (value) => BigInt(Math.round(number(value))) },
  { signature: 'round(dyn, dyn): double', summary: 'Rounds to a number of decimal places, at most 12', run: round },
  {
    signature: 'min(list): dyn',
    summary: 'Smallest number; null for an empty list',
    run: (list) => extreme(list, Math.min),
  },
  {
    signature: 'max(list): dyn',
    summary: 'Largest number; null for an empty list',
    run: (list) => extreme(list, Math.max),
  },
  { signature: 'min(dyn, dyn): dyn', summary: 'The smaller number', run: (a, b) => Math.min(number(a), number(b)) },
  { signature: 'max(dyn, dyn): dyn', summary: 'The larger number', run: (a, b) => Math.max(number(a), number(b)) },
  { signature: 'sum(list): double', summary: 'Sum of numbers', run: sum },
  {
    signature: 'number(dyn): dyn',
    summary: 'Number in a text such as "1,234.50", "1.234,50" or "€ 12"; null if there is none',
    run: numberIn,
  },
  { signature: 'json(dyn): string', summary: 'Converts to JSON text', run: (value) => JSON.stringify(resultOf(value)) },
];

/** Descriptions for documentation and agents. Includes the macro `default`, which must not evaluate its first argument eagerly. */
export function describeFunctions(): { signature: string; summary: string }[] {
  const fallback = 'The value, or the fallback if the value is null or part of its path is missing';
  const functions = expressionFunctions.map(({ signature, summary }) => ({ signature, summary }));
  return [...functions, { signature: 'default(dyn, dyn): dyn', summary: fallback }];
}

export function createEnvironment(): Environment {
  const { listElements, mapEntries, astNodes, depth } = expressionLimits;
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: astNodes, maxDepth: depth, maxListElements: listElements, maxMapEntries: mapEntries },
  });
  for (const { signature, run } of expressionFunctions) environment.registerFunction(signature, run, { async: false });
  environment.registerFunction('default(ast, ast): dyn', defaultMacro);
  for (const places of ['double', 'double, double', 'int, double', 'double, int']) {
    environment.registerFunction(`string.substring(${places}): string`, slice, { async: false });
  }
  const sums: Record<string, (a: number, b: number) => number> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
  };
  for (const [sign, run] of Object.entries(sums)) {
    // Numbers in channels are doubles, whole numbers in the source are ints.
    for (const types of [`int ${sign} double`, `double ${sign} int`]) {
      environment.registerOperator(types, (a: unknown, b: unknown) => run(Number(a), Number(b)));
    }
  }
  environment.registerOperator('double % double', (a: number, b: number) => a % b);
  environment.registerOperator('int == double', (a: bigint, b: number) => Number(a) === b);
  return environment;
}

function range(count: unknown): bigint[] {
  const length = number(count);
  if (Number.isInteger(length) && length >= 0 && length <= expressionLimits.rangeItems) {
    return Array.from({ length }, (_, at) => BigInt(at));
  }
  throw failed(`range(n) needs a whole number from 0 to ${expressionLimits.rangeItems}`);
}

function split(text: string, separator: string): string[] {
  return text.split(separator);
}

function join(list: Iterable<unknown>, separator: string): string {
  return [...list].map((item) => (typeof item === 'string' ? item : JSON.stringify(resultOf(item)))).join(separator);
}

function replace(text: string, find: string, by: string): string {
  if (find === '') return text;
  const parts = text.split(find);
  if (text.length + parts.length * by.length > expressionLimits.text)
    throw failed(`The result of replace is longer than ${expressionLimits.text} characters`);
  return parts.join(by);
}

function slice(text: string, from: unknown, to: unknown = text.length): string {
  const [start, end] = [number(from), number(to)];
  if (start >= 0 && end >= start && end <= text.length) return text.slice(start, end);
  throw failed('substring(start, end) is outside the text');
}

function round(value: unknown, places: unknown): number {
  const digits = number(places);
  if (!Number.isInteger(digits) || digits < 0 || digits > 12) throw failed('round needs 0 to 12 decimal places');
  // Shifts the decimal point in text: multiplying would round 1.005 to 1.00.
  return Number(`${Math.round(Number(`${number(value)}e${digits}`))}e-${digits}`);
}

function sum(list: Iterable<unknown>): number {
  return [...list].reduce<number>((total, item) => total + number(item), 0);
}

function extreme(list: Iterable<unknown>, choose: (a: number, b: number) => number): number | null {
  const values = [...list].map(number);
  return values.length === 0 ? null : values.reduce((a, b) => choose(a, b));
}

function number(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw failed('The value is not a number; number(text) reads one from a text');
}

/** If both `.` and `,` occur, the last one is the decimal sign. A sign that occurs twice, or a comma before three digits, separates groups. */
function numberIn(value: unknown): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string' || value.length > 200) return null;
  const text = value.replaceAll(/[\s'’_]|[€$£¥]|\b[A-Z]{3}\b/g, '');
  if (!/^[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d{1,3})?$/i.test(text)) return null;
  const [dot, comma] = [text.lastIndexOf('.'), text.lastIndexOf(',')];
  const isGrouped = (sign: string): boolean => text.split(sign).length > 2;
  let decimal = dot > comma ? '.' : ',';
  if (dot === -1 || comma === -1) {
    if (isGrouped(decimal) || /^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) decimal = '';
  } else if (isGrouped(decimal)) return null;
  const groups = decimal === '.' ? ',' : decimal === ',' ? '.' : /[.,]/g;
  const found = Number(text.replaceAll(groups, '').replace(',', '.'));
  return Number.isFinite(found) ? found : null;
}

interface MacroNode {
  readonly checkedType?: unknown;
}
interface MacroRun {
  run(node: MacroNode, context: unknown): unknown;
}
interface MacroCheck {
  check(node: MacroNode, context: unknown): unknown;
  getType(name: string): unknown;
}

const missing = new Set<unknown>(['no_such_key', 'index_out_of_bounds']);

function defaultMacro({ args }: { args: MacroNode[] }): unknown {
  const [value = {}, fallback = {}] = args;
  return {
    async: false,
    typeCheck(checker: MacroCheck, _macro: unknown, context: unknown): unknown {
      checker.check(value, context);
      checker.check(fallback, context);
      return checker.getType('dyn');
    },
    evaluate: function evaluate(evaluator: MacroRun, _macro: unknown, context: unknown): unknown {
      try {
        const found = evaluator.run(value, context);
        if (found !== null) return found;
      } catch (error) {
        // The fallback covers missing parts only; other errors are mistakes of the author.
        if (!(error instanceof Error && 'code' in error && missing.has(error.code))) throw error;
      }
      return evaluator.run(fallback, context);
    },
  };
}

function failed(detail: string): AppError {
  return new AppError('expression.failed', `${detail}.`);
}
