import { AppError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';

const hidden = new Set(['constructor', 'prototype', '__proto__']);

/** True for names that lead to prototypes; expressions neither see nor create such keys. */
export function isHidden(name: string): boolean {
  return hidden.has(name);
}

/**
 * Copies a value for expressions: JSON without prototypes, getters, functions or hidden keys. Throws `expression.failed` if it is nested
 * too deep.
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

/** Converts a CEL result to JSON, including ints and dates. Throws `expression.failed` if it is not JSON, too deep or too large. */
export function resultOf(value: unknown): unknown {
  const budget = { left: expressionLimits.resultBytes };
  const result = plain(value, budget, 0);
  if (budget.left >= 0) return result;
  throw new AppError(
    'expression.failed',
    `The result is larger than ${expressionLimits.resultBytes} bytes of JSON. Make it smaller.`,
  );
}

function plain(value: unknown, budget: { left: number }, depth: number): unknown {
  if (depth > expressionLimits.valueDepth) throw tooDeep();
  if (budget.left < 0) return null;
  if (typeof value === 'string') {
    // Avoids encoding a text that is too long anyway.
    budget.left -= value.length > budget.left ? value.length : Buffer.byteLength(JSON.stringify(value));
    return value;
  }
  if (typeof value === 'boolean' || value === null || value === undefined) return spent(budget, 4, value ?? null);
  if (typeof value === 'bigint') return plain(Number(value), budget, depth);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new AppError('expression.failed', 'The result is not a finite number.');
    // JSON has no -0.
    return spent(budget, String(value).length + 1, value === 0 ? 0 : value);
  }
  if (Array.isArray(value)) {
    budget.left -= 2;
    return value.map((item) => plain(item, spent(budget, 1, budget), depth + 1));
  }
  if (value instanceof Date) return plain(value.toISOString(), budget, depth);
  if (typeof value !== 'object' || !isRecord(value)) {
    throw new AppError('expression.failed', 'The result is not a JSON value. Convert it to text or a number.');
  }
  budget.left -= 2;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (hidden.has(key))
      throw new AppError('expression.failed', `The result has the key "${key}", which is not allowed. Rename it.`);
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
  return new AppError('expression.failed', `A value is nested deeper than ${expressionLimits.valueDepth} levels.`);
}
