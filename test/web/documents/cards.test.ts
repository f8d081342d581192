import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { applyToCards } from '#web/live/apply-cards.ts';
import { changesMatches, patched, type Listed } from '#web/live/card-changes.ts';
import type { TextLine } from '#web/page-view/words.ts';
import { changesOf, keptTexts } from '#web/pages/document/tabs/corrections.ts';
import { withNewestPages, type LiveEvent } from '#web/live/event.ts';

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const card = (id: string): Listed => ({
  id,
  projectId: 'prj_1',
  latestRun: null,
  filename: 'a.png',
  title: null,
  tags: [],
});
const event = (type: string, fields: object, second = 1): LiveEvent => ({
  type,
  at: at(second),
  projectId: 'prj_1',
  documentId: 'doc_1',
  runId: 'run_1',
  ...fields,
});
const created = event('run.created', { workflowId: 'wf_1', status: 'queued' });

test('a card follows its latest run, and no older one', () => {
  const queued = patched(card('doc_1'), [created]);
  expect(queued.latestRun).toEqual({ runId: 'run_1', workflowId: 'wf_1', status: 'queued', at: at(1) });
  const running = patched(queued, [event('run.step.changed', { status: 'running', runStatus: 'running' }, 2)]);
  expect(running.latestRun).toMatchObject({ status: 'running', at: at(2) });
  const error = { code: 'node.failed', message: 'It failed.' };
  const failed = patched(running, [event('run.completed', { status: 'failed', error }, 3)]);
  expect(failed.latestRun).toMatchObject({ status: 'failed', error });
  expect(patched(failed, [event('run.completed', { runId: 'run_0', status: 'succeeded' }, 4)])).toBe(failed);
  for (const other of [{ draft: { revision: 1 } }, { projectId: 'prj_2' }])
    expect(patched(card('doc_1'), [{ ...created, ...other }]).latestRun).toBeNull();
  expect(patched(failed, [event('run.created', { runId: 'run_0', workflowId: 'wf_1' }, 2)])).toBe(failed);
});

test('a card follows the pages that its run reads, and shows none after the last one or the end of the run', () => {
  const pages = (pagesRead: number, second: number) =>
    event('run.step.changed', { nodeType: 'ocr', reading: { ocrResultId: 'ocr_1', pagesRead, pages: 9 } }, second);
  const third = patched(card('doc_1'), [pages(3, 3)]);
  expect(third.reading).toEqual({ runId: 'run_1', ocrResultId: 'ocr_1', pagesRead: 3, pages: 9, readAt: at(3) });
  expect(patched(third, [pages(2, 2)])).toBe(third);
  expect(patched(third, [pages(4, 4)]).reading?.pagesRead).toBe(4);
  for (const ends of [
    event('run.completed', { status: 'failed' }, 5),
    event('run.step.changed', { nodeType: 'ocr', status: 'succeeded' }, 5),
    event('run.step.changed', { nodeType: 'ocr', status: 'continued' }, 5),
  ]) {
    expect(patched(third, [ends])).not.toHaveProperty('reading');
    expect(patched(third, [{ ...ends, runId: 'run_0' }]).reading).toBe(third.reading);
  }
  expect(patched(third, [event('run.step.changed', { nodeType: 'ocr', status: 'failed' }, 5)]).reading).toBe(
    third.reading,
  );
});

test('the feed keeps the newest pages of each step, and every other event', () => {
  const pages = (pagesRead: number, more = {}) =>
    event('run.step.changed', { nodeId: 'read', reading: { pagesRead, pages: 9 }, ...more });
  const begun = event('run.step.changed', { nodeId: 'read', status: 'running' });
  const other = pages(1, { runId: 'run_2' });
  expect(withNewestPages([pages(3), created, pages(2), other, pages(1), begun])).toEqual([
    pages(3),
    created,
    other,
    begun,
  ]);
});

test('a renamed document shows its new names; a title that was taken back waits for the server', () => {
  const named = patched(card('doc_1'), [event('document.changed', { filename: 'b.png', title: 'B', tags: ['x'] })]);
  expect(named).toMatchObject({ filename: 'b.png', title: 'B', tags: ['x'] });
  expect(patched(named, [event('document.changed', { filename: 'b.png', title: null, tags: [] })]).title).toBe('B');
});

test('a document that was found to be a copy says so, and a later change of its names keeps that', () => {
  const copy = { duplicateOf: 'doc_0', duplicateKind: 'near' };
  const found = patched(card('doc_1'), [
    event('document.changed', { filename: 'a.png', title: null, tags: [], ...copy }),
  ]);
  expect(found).toMatchObject(copy);
  expect(patched(found, [event('document.changed', { filename: 'b.png', title: 'B', tags: [] })])).toMatchObject(copy);
});

test('loaded lists are patched, and read again only where their matches may change', () => {
  const client = new QueryClient();
  const plain = ['documents', 'list', 'pages', { query: { limit: 60 } }];
  const failed = ['documents', 'list', 'pages', { query: { status: 'failed' } }];
  for (const key of [plain, failed])
    client.setQueryData(key, { pages: [{ documents: [card('doc_1')] }, { documents: [card('doc_2')] }] });
  const before = client.getQueryData<{ pages: unknown[] }>(plain);
  applyToCards(client, [created]);
  const after = client.getQueryData<{ pages: { documents: Listed[] }[] }>(plain);
  expect(after?.pages[0]?.documents[0]?.latestRun?.status).toBe('queued');
  expect(after?.pages[1]).toBe(before?.pages[1]);
  expect(client.getQueryState(plain)?.isInvalidated).toBe(false);
  expect(client.getQueryState(failed)?.isInvalidated).toBe(true);
  expect(changesMatches({ tag: 'x' }, [created])).toBe(false);
  expect(changesMatches({ tag: 'x' }, [event('document.changed', {})])).toBe(true);
});

test('a corrected line sends its changed words, or all of itself when their number changed', () => {
  const lines = ['Totel due', '12,50 EUR', 'noise'].map((text) => ({
    words: text.split(' ').map((word) => ({ text: word })),
  })) as unknown as TextLine[];
  expect(changesOf(2, lines, ['Total due', '12,50  EUR', ' '])).toEqual([
    { page: 2, line: 0, word: 0, text: 'Total' },
    { page: 2, line: 2, text: '' },
  ]);
  expect(changesOf(0, lines, ['Total amount due', '12,50 EUR', 'noise'])).toEqual([
    { page: 0, line: 0, text: 'Total amount due' },
  ]);
});

test('lines that a person changed are kept over a newer version of the text, and all others are of the newer one', () => {
  const line = (text: string, y: number) => ({
    box: [0, y, 1, 1],
    words: text.split(' ').map((word) => ({ text: word })),
  });
  const before = [line('Totel', 0), line('12,5O', 1), line('gone', 2)] as unknown as TextLine[];
  const now = [line('TOTAL', 0), line('12,5O', 1), line('new', 3)] as unknown as TextLine[];
  expect(keptTexts(before, ['Totel', '12,50', 'changed'], now)).toEqual(['TOTAL', '12,50', 'new']);
});
