import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { toast, toastError } from '../../parts/toast.tsx';
import { useSession } from '../../shell/session.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { inParts, partsOf, type Chosen } from './in-parts.ts';

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
  const restore = (ids: readonly string[]): Promise<boolean> =>
    counted(
      async (done) => {
        for (const documentIds of partsOf(ids, size))
          done(await call('operators', 'restoreMany', { body: { documentIds } }));
      },
      (done) => toast(words.restored(done.length)),
    ).finally(refresh);
  return useMutation({
    mutationFn: (chosen: Chosen) =>
      counted(
        (done) => inParts(chosen, size, async (body) => done(await call('operators', 'trashMany', { body }))),
        (done) => toast(words.trashed(done.length), { label: shell.undo, run: () => void restore(done) }),
      ),
    onSuccess: onDone,
    onSettled: refresh,
  });
}

interface Moved {
  readonly documents: readonly { readonly id: string }[];
}

/** Moves documents in several calls, and tells which of them moved and what ended it. Resolves to true if something failed. */
async function counted(
  move: (done: <Reply extends Moved>(reply: Reply) => Reply) => Promise<void>,
  tell: (done: readonly string[]) => void,
): Promise<boolean> {
  const done: string[] = [];
  const failed = await move((reply) => {
    done.push(...reply.documents.map(({ id }) => id));
    return reply;
  }).then(
    () => false,
    (error: unknown) => {
      toastError(error);
      return true;
    },
  );
  if (done.length > 0) tell(done);
  return failed;
}
