import { useMutation, useQueryClient } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { runs as words } from '../../text/runs.ts';
import { conditionsOf, type RunTab } from './search.ts';

const route = pageAt('/runs');

const open = ['queued', 'running', 'waiting'] as const;
const failed = ['failed', 'timed_out', 'canceled'] as const;

/** Calls until no run is left that matches; returns their number. */
async function all(
  some: (cursor: string | undefined) => Promise<{ readonly count: number; readonly nextCursor: string | null }>,
): Promise<number> {
  let total = 0;
  let cursor: string | undefined;
  do {
    const { count, nextCursor } = await some(cursor);
    total += count;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return total;
}

/** Cancels or repeats all runs that the filters show: each after a question. */
export function ManyActions({ status }: { readonly status: RunTab }) {
  const search = route.useSearch();
  const client = useQueryClient();
  const canRun = useCan('runs:execute');
  const [asked, ask] = useState<'cancel' | 'retry' | null>(null);
  const ended = {
    onError: toastError,
    onSettled: () => {
      ask(null);
      void client.invalidateQueries({ queryKey: ['runs'] });
    },
  };
  const isOpen = open.find((name) => name === status);
  const isFailed = failed.find((name) => name === status);
  const body = conditionsOf(search);
  const cancel = useMutation({
    mutationFn: () =>
      all(async (cursor) => {
        const states = isOpen === undefined ? [...open] : [isOpen];
        const { canceled, nextCursor } = await call('runs', 'cancelRuns', {
          body: { ...body, status: states, cursor },
        });
        return { count: canceled, nextCursor };
      }),
    onSuccess: (count) => toast(words.canceledMany(count)),
    ...ended,
  });
  const retry = useMutation({
    mutationFn: () =>
      all(async (cursor) => {
        const states = isFailed === undefined ? undefined : [isFailed];
        const { retried, nextCursor } = await call('runs', 'retryRuns', { body: { ...body, status: states, cursor } });
        return { count: retried, nextCursor };
      }),
    onSuccess: (count) => toast(words.retried(count)),
    ...ended,
  });
  if (!canRun) return null;
  return (
    <>
      {isOpen !== undefined && (
        <Button icon={<Ban size={14} aria-hidden />} onClick={() => ask('cancel')}>
          {words.cancelAll}
        </Button>
      )}
      {isFailed !== undefined && (
        <Button icon={<RotateCcw size={14} aria-hidden />} onClick={() => ask('retry')}>
          {words.retryFailed}
        </Button>
      )}
      {asked !== null && (
        <Confirm
          title={asked === 'cancel' ? words.cancelAll : words.retryFailed}
          words={asked === 'cancel' ? words.cancelAllWords : words.retryAllWords}
          action={asked === 'cancel' ? words.cancelAll : words.retryFailed}
          busy={cancel.isPending || retry.isPending}
          onConfirm={() => (asked === 'cancel' ? cancel : retry).mutate()}
          onClose={() => ask(null)}
        />
      )}
    </>
  );
}
