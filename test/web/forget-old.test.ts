import { QueryCache, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { forgetOld } from '#web/api/forget-old.ts';

/** Shows a page that asks for `queryKey`, and leaves it. */
function visit(client: QueryClient, queryKey: readonly string[]): void {
  client.setQueryData(queryKey, {});
  new QueryObserver(client, { queryKey, staleTime: Infinity }).subscribe(() => undefined)();
}

test('the data of the pages before stays, that of older ones goes, and lists stay for the way back', () => {
  const queryCache = new QueryCache();
  forgetOld(queryCache);
  const client = new QueryClient({ queryCache });
  const shown = new QueryObserver(client, { queryKey: ['documents', 'get', 'shown'], staleTime: Infinity });
  client.setQueryData(['documents', 'get', 'shown'], {});
  const end = shown.subscribe(() => undefined);
  visit(client, ['documents', 'list', 'pages']);
  for (let at = 0; at < 100; at += 1) visit(client, ['documents', 'get', `doc_${at}`]);
  const kept = queryCache.getAll().map(({ queryKey }) => queryKey.at(-1));
  expect(kept).toHaveLength(18);
  expect(kept).toEqual(expect.arrayContaining(['shown', 'pages', 'doc_99', 'doc_84']));
  visit(client, ['documents', 'get', 'doc_84']);
  visit(client, ['documents', 'get', 'doc_100']);
  expect(queryCache.getAll().map(({ queryKey }) => queryKey.at(-1))).toContain('doc_84');
  end();
  client.clear();
});
