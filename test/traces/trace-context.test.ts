import { expect, test } from 'vitest';
import { readTraceContext, traceIdOf } from '#src/domain/traces/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const good = `00-${traceId}-${spanId}-01`;

test('a traceparent is taken, with the flag for sampling alone', () => {
  expect(readTraceContext(good, undefined)).toEqual({ traceparent: good });
  expect(readTraceContext(`00-${traceId}-${spanId}-ff`, '')).toEqual({ traceparent: good });
  const unsampled = `00-${traceId}-${spanId}-00`;
  expect(readTraceContext(`00-${traceId}-${spanId}-fe`, '')).toEqual({ traceparent: unsampled });
  expect(traceIdOf({ traceparent: good })).toBe(traceId);
});

test('a later version may have more fields', () => {
  expect(readTraceContext(`cc-${traceId}-${spanId}-01-what-comes`, '')).toEqual({ traceparent: good });
});

test.each([
  undefined,
  null,
  7,
  ['x'],
  '',
  traceId,
  good.toUpperCase(),
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `cc-${traceId}-${spanId}-01-${'x'.repeat(200)}`,
  `${good}, ${good}`,
])('a malformed traceparent is none: %j', (sent) => {
  expect(readTraceContext(sent, 'a=b')).toBeNull();
});

test('a tracestate is passed on if it is short and plain', () => {
  expect(readTraceContext(good, ' a=1,b=2 ')).toEqual({ traceparent: good, tracestate: 'a=1,b=2' });
  expect(readTraceContext(good, `a=${'x'.repeat(510)}`)?.tracestate).toHaveLength(512);
  for (const sent of [`a=${'x'.repeat(511)}`, 'a=ü', 'a=1\nb=2', ['a=1'], 7])
    expect(readTraceContext(good, sent)).toEqual({ traceparent: good });
});
