import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { Problem } from '../../../api/problem.ts';
import { toast, toastError } from '../../../parts/toast.tsx';
import { document as words } from '../../../text/document.ts';
import type { CellValue, RecordOf } from './cell-value.ts';

interface Correction {
  readonly set?: Readonly<Record<string, CellValue>>;
  readonly confirm: boolean;
}

/** Corrects cells of a record, or confirms it. A record that somebody changed meanwhile is shown again, never overwritten. */
export function useCorrect({ recordId, revision }: RecordOf) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ set = {}, confirm }: Correction) =>
      call('records', 'correct', { params: { recordId }, body: { revision, set: { ...set }, confirm } }),
    onSuccess: (_, { confirm }) => toast(confirm ? words.confirmed : words.corrected),
    onError: (error) => {
      if (error instanceof Problem && error.code === 'record.conflict') toast(words.conflict);
      else toastError(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['records'] }),
  });
}
