import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { documents as words } from '../../text/documents.ts';

const outdated = [['documents'], ['records'], ['operators']];
/** Documents that one request moves. */
const atOnce = 500;

/** Moves documents to the trash, and offers to take it back. */
export function useTrash(onDone: () => void) {
  const client = useQueryClient();
  const restore = useChange('operators', 'restoreMany', { outdated, done: words.restored });
  return useMutation({
    mutationFn: async (documentIds: readonly string[]) => {
      for (let at = 0; at < documentIds.length; at += atOnce)
        await call('operators', 'trashMany', { body: { documentIds: documentIds.slice(at, at + atOnce) } });
      return documentIds;
    },
    onError: toastError,
    onSuccess: (documentIds) => {
      for (const queryKey of outdated) void client.invalidateQueries({ queryKey });
      const undo = { label: words.undo, run: () => restore.mutate({ body: { documentIds: [...documentIds] } }) };
      toast(words.trashed(documentIds.length), documentIds.length > atOnce ? undefined : undo);
      onDone();
    },
  });
}
