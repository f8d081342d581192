import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';

const hidden = new Set(['constructor', 'prototype', '__proto__']);

/** Words that lead to prototypes: no key of that name is seen, and none is made. */
export function isHidden(name: string): boolean {
  return hidden.has(name);
}

/**
 * A value as expressions see it: JSON without prototypes, getters, functions or hidden keys. Throws `expression.failed` when it is too
 * deep.
 */
export function seen(value: unknown, depth = 0): unknown {
  if (depth > expressionLimits.valueDepth) throw tooDeep();
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol' ? null : (value ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => seen(item, depth + 1));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property && 'value' in property && !hidden.has(key)) copy[key] = seen(property.value, depth + 1);
  }
  return copy;
}

/** A result as JSON: whole numbers and dates of CEL become JSON's. Throws `expression.failed` for what is no JSON, too deep or too large. */
export function resultOf(value: unknown): unknown {
  const budget = { left: expressionLimits.resultBytes };
  const result = plain(value, budget, 0);
  if (budget.left >= 0) return result;
  throw new AppError(
    'expression.failed',
    `The result is over ${expressionLimits.resultBytes} bytes of JSON; make it smaller.`,
  );
}

function plain(value: unknown, budget: { left: number }, depth: number): unknown {
  if (depth > expressionLimits.valueDepth) throw tooDeep();
  if (budget.left < 0) return null;
  if (typeof value === 'string') {
    // A long text is not encoded to find that it is too long.
    budget.left -= value.length > budget.left ? value.length : Buffer.byteLength(JSON.stringify(value));
    return value;
  }
  if (typeof value === 'boolean' || value === null || value === undefined) return spent(budget, 4, value ?? null);
  if (typeof value === 'bigint') return plain(Number(value), budget, depth);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new AppError('expression.failed', 'The result is no finite number.');
    // JSON knows no -0.
    return spent(budget, String(value).length + 1, value === 0 ? 0 : value);
  }
  if (Array.isArray(value)) {
    budget.left -= 2;
    return value.map((item) => plain(item, spent(budget, 1, budget), depth + 1));
  }
  if (value instanceof Date) return plain(value.toISOString(), budget, depth);
  if (typeof value !== 'object' || !isRecord(value)) {
    throw new AppError('expression.failed', 'The result is no JSON value; turn it into text or a number.');
  }
  budget.left -= 2;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (hidden.has(key)) throw new AppError('expression.failed', `"${key}" cannot be a key of a result.`);
    budget.left -= Buffer.byteLength(key) + 4;
    return [key, plain(item, budget, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function spent<Value>(budget: { left: number }, bytes: number, value: Value): Value {
  budget.left -= bytes;
  return value;
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function tooDeep(): AppError {
  return new AppError('expression.failed', `A value has more than ${expressionLimits.valueDepth} levels.`);
}
