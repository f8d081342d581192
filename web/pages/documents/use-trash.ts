import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { useSession } from '../../shell/session.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';

/** Calls a row with as many ids at a time as the server takes. Returns how many went through, and the error that ended it. */
async function inParts(
  row: 'trashMany' | 'restoreMany',
  ids: readonly string[],
  size: number,
): Promise<{ readonly done: readonly string[]; readonly error?: unknown }> {
  for (let at = 0; at < ids.length; at += size)
    try {
      await call('operators', row, { body: { documentIds: ids.slice(at, at + size) } });
    } catch (error) {
      return { done: ids.slice(0, at), error };
    }
  return { done: ids };
}

/**
 * Moves documents to the trash, with a way back in the words that say so. Those that failed stay. `onDone` ends before anything is read
 * again, so that a page can be left before its document is gone.
 */
export function useTrash(onDone: (failed: boolean) => Promise<void> | void) {
  const client = useQueryClient();
  const size = useSession().limits.documentIds;
  const refresh = (): void => {
    for (const family of ['documents', 'operators', 'records', 'runs'])
      void client.invalidateQueries({ queryKey: [family] });
  };
  const restore = async (ids: readonly string[]): Promise<void> => {
    const { done, error } = await inParts('restoreMany', ids, size);
    if (done.length > 0) toast(words.restored(done.length));
    if (error !== undefined) toastError(error);
    refresh();
  };
  return useMutation({
    mutationFn: (ids: readonly string[]) => inParts('trashMany', ids, size),
    onSuccess: async ({ done, error }) => {
      if (done.length > 0) toast(words.trashed(done.length), { label: shell.undo, run: () => void restore(done) });
      if (error !== undefined) toastError(error);
      await onDone(error !== undefined);
    },
    onSettled: refresh,
  });
}
