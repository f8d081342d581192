import { expect, test } from 'vitest';
import { DocumentCardQuery } from '#src/contracts/resources/card.ts';
import { documentStatuses } from '#src/contracts/lists/document-filter.ts';
import { changeIn } from '#web/pages/document/edit.ts';
import { filterNames, orders } from '#web/pages/documents/list/filter-names.ts';
import { askedFilters, askedOrder, startOfDay } from '#web/pages/documents/list/asked.ts';
import { facets, filterOf } from '#web/pages/documents/list/filters.ts';
import { inParts } from '#web/pages/documents/in-parts.ts';
import { conditionsIn, recordsIn, recordsOf } from '#web/pages/records/search.ts';
import { filters as words } from '#web/text/list/filters.ts';

const known = {
  projects: [{ id: 'prj_1', name: 'One' }],
  workflows: [{ workflowId: 'wf_1', name: 'Read' }],
  keys: [{ id: 'key_1', name: 'Scanner' }],
};

const examples = {
  date: ['2026-03-29'],
  text: ['tax 2026'],
  given: ['receipt', 'receipt;total~gt~20;date~eq~2026-05-17'],
};

test('each choice of each filter and each order is one that the list takes', () => {
  const asked = filterNames.flatMap((name) => {
    const { values } = filterOf(name);
    const choices = typeof values === 'string' ? examples[values] : values(known).map(([one]) => one);
    return choices.map((value) => askedFilters({ [name]: value }));
  });
  expect(asked.length).toBeGreaterThan(20);
  for (const fields of asked) {
    expect(Object.keys(fields).length).toBeGreaterThan(0);
    expect(() => DocumentCardQuery.parse(fields)).not.toThrow();
  }
  for (const order of orders) expect(DocumentCardQuery.parse(askedOrder(order))).toHaveProperty('sort');
  expect(DocumentCardQuery.parse({ facets }).facets).toHaveLength(6);
  expect(askedOrder('name')).toEqual({ sort: 'name', order: 'asc' });
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([...documentStatuses, undefined]));
});

test('a day includes its end, and values that mean nothing are left out', () => {
  const { createdAfter = '', createdBefore = '' } = askedFilters({ from: '2026-05-01', to: '2026-05-01' });
  expect(Date.parse(createdBefore) - Date.parse(createdAfter)).toBe(86_400_000);
  expect(startOfDay('yesterday')).toBeUndefined();
  expect(askedFilters({ status: 'toString', type: 'text/html', confidence: 'high' })).toEqual({});
});

test('a document is changed only where its form was', () => {
  const form = (fields: Record<string, string>): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries({ title: 'A', filename: 'a.png', tags: 'x, y', ...fields }))
      data.set(name, value);
    return data;
  };
  const detail = { title: 'A', filename: 'a.png', tags: ['x', 'y'] };
  expect(changeIn(detail, form({}))).toBeNull();
  expect(changeIn(detail, form({ title: ' ', tags: 'y,, z,y' }))).toEqual({ title: null, tags: ['y', 'z'] });
  expect(changeIn(detail, form({ filename: '' }))).toBeNull();
  expect(changeIn(detail, form({ filename: 'b.png' }))).toEqual({ filename: 'b.png' });
  expect(changeIn(detail, form({ languages: 'deu, eng' }))).toEqual({ languages: ['deu', 'eng'] });
  const named = { ...detail, languages: ['deu'] };
  expect(changeIn(named, form({ languages: 'deu' }))).toBeNull();
  expect(changeIn(named, form({ languages: '' }))).toEqual({ languages: [] });
});

test('documents are looked for by the conditions of the table of records', () => {
  const conditions = conditionsIn('total~gt~20;merchant~contains~rail');
  const records = recordsOf('receipt', conditions);
  expect(recordsIn(records)).toEqual({ recordType: 'receipt', conditions });
  expect(recordsIn(recordsOf('receipt', []))).toEqual({ recordType: 'receipt', conditions: [] });
  expect(askedFilters({ records })).toEqual({
    recordType: 'receipt',
    record: '{"total":{"gt":20},"merchant":{"contains":"rail"}}',
  });
  expect(words.records(records)).toBe('receipt, total > 20, merchant contains rail');
});

test('an action over a filter goes on until nothing matches, and one over ids takes them in parts', async () => {
  const parts: unknown[] = [];
  const cursors = ['second', 'third', null];
  await inParts({ filter: { status: 'failed' } }, 2, async (part) => {
    parts.push(part);
    return { nextCursor: cursors[parts.length - 1] };
  });
  const filter = { status: 'failed' };
  expect(parts).toEqual([{ filter }, { filter, cursor: 'second' }, { filter, cursor: 'third' }]);
  const named: unknown[] = [];
  await inParts({ documentIds: ['a', 'b', 'c'] }, 2, async (part) => {
    named.push(part);
    return {};
  });
  expect(named).toEqual([{ documentIds: ['a', 'b'] }, { documentIds: ['c'] }]);
});
