import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { followed } from '../../live/connection.ts';

type Run = Reply<'runs', 'get'>;

export const isOpen = ({ status }: Run): boolean => status === 'queued' || status === 'running' || status === 'waiting';

/** The run that a page shows, fresh until its end. */
export function useRun(id: string) {
  const query = useQuery(read('runs', 'get', { params: { id } }));
  const run = query.data;
  const isApart = run?.draft !== undefined || run?.experimentId !== undefined;
  const execution = run !== undefined && isApart && isOpen(run) ? run.executionId : null;
  useEffect(() => {
    followed.set(execution);
    return () => followed.set(null);
  }, [execution]);
  return query;
}
