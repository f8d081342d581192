import { AppError } from '#src/domain/app-error.ts';
import { parseExpression, type Expression } from './expression.ts';
import { expressionLimits } from './limits.ts';

/** Parsed text with `{{ <expression> }}`, without state. */
export interface Template {
  /** Root identifiers of its expressions. */
  readonly names: readonly string[];
  /** Its expressions, in order. */
  readonly expressions: readonly Expression[];
  /** Placeholders that do not parse and stay literal text. */
  readonly literals: readonly string[];
  /**
   * The text with all placeholders replaced: text unchanged, null as an empty text, other values as JSON, or as `asText` writes them.
   * Placeholders inside inserted values are not replaced. Throws `expression.failed`.
   */
  fill(scope: Readonly<Record<string, unknown>>, asText?: (value: unknown) => string): string;
  /** The same with the values of `expressions` in their order. */
  insert(values: readonly unknown[], asText?: (value: unknown) => string): string;
}

/** Throws `workflow.invalid` for more than 500 placeholders. */
export function parseTemplate(text: string, parse: (source: string) => Expression = parseExpression): Template {
  const steps = templateSteps(text, parse);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Parses a template, and pauses after each placeholder, so that other work can run in between. */
export function* templateSteps(
  text: string,
  parse: (source: string) => Expression = parseExpression,
): Generator<undefined, Template> {
  const parts: (string | Expression)[] = [];
  const literals: string[] = [];
  let kept = 0;
  let found = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', open)) {
    const placeholder = placeholderAt(text, open, parse);
    if (placeholder.end > open + 2 && (found += 1) > expressionLimits.placeholders) {
      throw new AppError(
        'workflow.invalid',
        `The template has more than ${expressionLimits.placeholders} placeholders. Remove some.`,
      );
    }
    if (placeholder.expression) {
      parts.push(text.slice(kept, open), placeholder.expression);
      kept = placeholder.end;
    } else if (placeholder.end > open + 2) literals.push(text.slice(open, placeholder.end));
    open = placeholder.end;
    yield;
  }
  parts.push(text.slice(kept));
  const expressions = parts.filter((part) => typeof part !== 'string');
  const insert = (values: readonly unknown[], asText = textOf): string => {
    let filled = '';
    let at = 0;
    for (const part of parts) {
      filled += typeof part === 'string' ? part : asText(values[at++]);
      if (filled.length > expressionLimits.filled + text.length) {
        throw new AppError(
          'expression.failed',
          `The filled template is longer than ${expressionLimits.filled} characters. Insert less.`,
        );
      }
    }
    return filled;
  };
  return {
    names: [...new Set(expressions.flatMap((part) => part.names))],
    expressions,
    literals,
    insert,
    fill: (scope, asText) =>
      insert(
        expressions.map((expression) => expression.evaluate(scope)),
        asText,
      ),
  };
}

/** Tries the first few `}}`, since one can be part of the expression. `end` is the index after the placeholder or the literal. */
function placeholderAt(
  text: string,
  open: number,
  parse: (source: string) => Expression,
): { expression?: Expression; end: number } {
  const near = text.slice(open, open + expressionLimits.source + 4);
  const first = near.indexOf('}}');
  if (first === -1) return { end: open + 2 };
  for (let close = first, tries = 0; close !== -1 && tries < 3; close = near.indexOf('}}', close + 1), tries += 1) {
    const source = near.slice(2, close).trim();
    if (source === '' || /constructor|prototype|__proto__/.test(source)) break;
    try {
      return { expression: parse(source), end: open + close + 2 };
    } catch (error) {
      // Not an expression up to here: tries the next `}}`.
      if (!(error instanceof AppError)) throw error;
    }
  }
  return { end: open + first + 2 };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
