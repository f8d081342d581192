import { describe, expect, test } from 'vitest';
import { unstorable } from '#src/domain/storable.ts';

describe('What can be stored', () => {
  test.each(['null', '1', '"\\u0000"', '{"a":[1,{"b.c":"$x"}]}', '{"":{"~/":5e-324}}', '[1.7976931348623157e308]'])(
    '%s can',
    (text) => {
      expect(unstorable(JSON.parse(text))).toBeNull();
    },
  );

  test.each([
    ['1e400', ''],
    ['{"a":[0,-1e999]}', '/a/1'],
    ['{"a":{"b\\u0000c":1}}', '/a/b\0c'],
    ['{"x/y":{"~":1e309}}', '/x~1y/~0'],
  ])('%s cannot, and the pointer says where', (text, pointer) => {
    expect(unstorable(JSON.parse(text))?.pointer).toBe(pointer);
  });
});
