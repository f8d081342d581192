import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { isConflict } from '../../api/problem.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { records as words } from '../../text/records.ts';
import type { CellValue, RecordRow } from './cell-value.ts';

interface Correction {
  readonly set?: Readonly<Record<string, CellValue>>;
  readonly confirm: boolean;
}

/** Corrects cells of a record, or confirms it. A record that somebody changed meanwhile is shown again, never overwritten. */
export function useCorrect({ recordId, revision }: RecordRow) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ set = {}, confirm }: Correction) =>
      call('records', 'correct', { params: { recordId }, body: { revision, set: { ...set }, confirm } }),
    onSuccess: (_, { set }) => toast(set === undefined ? words.confirmed : words.corrected),
    onError: (error) => {
      if (isConflict(error)) toast(words.conflict);
      else toastError(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['records'] }),
  });
}
