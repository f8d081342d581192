import { expect, test } from 'vitest';
import fc from 'fast-check';
import { match, searchOf } from '#web/router/addresses.ts';
import { Parts, type Pages } from '#web/router/parts.ts';
import { formatQuery, parseQuery } from '#web/router/query.ts';
import { addressOf } from '#web/router/target.ts';

const at = (address: string) => {
  const [path = '', query = ''] = address.split('?');
  return { path, raw: parseQuery(query) };
};

test('texts come out of an address as they went in, whatever they hold', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.oneof(fc.string(), fc.constantFrom('"', '"a"', '"a', '1e3', 'true'))),
      (search) => {
        expect(parseQuery(formatQuery(search))).toEqual({ ...search });
      },
    ),
  );
  expect(formatQuery({ a: undefined, b: null })).toBe('');
});

test('addresses that were saved with quotation marks still mean the same', () => {
  expect(parseQuery('?query=%222024%22&page=1')).toEqual({ query: '2024', page: '1' });
});

test('a path leads to its page, with or without a slash at its end, or to none', () => {
  expect(match('/')).toEqual({ page: '/', id: '' });
  expect(match('/documents/')).toEqual({ page: '/documents', id: '' });
  expect(match('/documents/doc%201')).toEqual({ page: '/documents/$id', id: 'doc 1' });
  expect(match('/runs/%E0%A4%A')).toEqual({ page: '/runs/$id', id: '%E0%A4%A' });
  for (const none of ['/nothing', '/documents/a/b', '/feed/a', '/constructor', '/$id']) expect(match(none)).toBeNull();
});

test('a page reads what it knows of an address, and nothing else', () => {
  expect(searchOf('/documents/$id', parseQuery('?page=2&tab=fields&box=0,0,1,1&x=1&project=prj_1'))).toEqual({
    page: 2,
    tab: 'fields',
    box: '0,0,1,1',
    project: 'prj_1',
  });
  expect(searchOf('/documents/$id', parseQuery('?page=-1&tab=none'))).toEqual({});
  expect(searchOf(undefined, parseQuery('?tab=text'))).toEqual({});
});

test('the chosen project goes with the person, until an address names another or none', () => {
  const here = at('/documents?project=prj_1&query=a');
  const to = '/documents/$id';
  const params = { id: 'a/b' };
  expect(addressOf({ to, params }, here)).toBe('/documents/a%2Fb?project=prj_1');
  expect(addressOf({ to, params, search: { project: 'prj_2' } }, here)).toBe('/documents/a%2Fb?project=prj_2');
  expect(addressOf({ to, params, search: { project: undefined } }, here)).toBe('/documents/a%2Fb');
});

test('a part of the parameters changes, and the others stay', () => {
  const search = (old: object) => ({ ...old, query: undefined, sort: 'name' });
  expect(addressOf({ to: '.', search }, at('/documents?query=a&view=list'))).toBe('/documents?view=list&sort=name');
});

test('a part of the bundle that did not come is asked for again when its page is opened, and one that came is not', async () => {
  const parts = new Parts();
  let asked = 0;
  const load = async () => {
    asked += 1;
    if (asked === 1) throw new TypeError('the network is down');
    return () => null;
  };
  parts.start({ '/runs': { load } } as unknown as Pages);
  await parts.prepare('/runs?status=failed');
  expect(parts.loaded.get().get('/runs')).toHaveProperty('error');
  await parts.arriving('/runs');
  expect(parts.loaded.get().get('/runs')).toHaveProperty('Page');
  expect(parts.arriving('/runs')).toBeNull();
  expect(asked).toBe(2);
});
