import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Eye, EyeOff, Play, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { toast, toastError } from '../../../parts/toast.tsx';
import { useCan, useSession } from '../../../shell/session.ts';
import { document as oneWords } from '../../../text/document.ts';
import { documents as words } from '../../../text/documents.ts';
import { RunDialog } from '../../document/run-dialog.tsx';
import { useTrash } from '../use-trash.ts';
import type { Selection } from './selection.ts';

function useBulk({ ids, clear }: Selection) {
  const client = useQueryClient();
  const { limits } = useSession();
  const onSettled = () => client.invalidateQueries({ queryKey: ['documents'] });
  const all = [...ids];
  const trash = useTrash(clear);
  const visibility = useMutation({
    mutationFn: async (next: 'private' | 'public') => {
      for (let at = 0; at < all.length; at += limits.documentIds)
        await call('documents', 'visibility', {
          body: { documentIds: all.slice(at, at + limits.documentIds), visibility: next },
        });
      return next;
    },
    onSuccess: (next) => toast(words.visibilityDone(all.length, next)),
    onError: toastError,
    onSettled,
  });
  return { all, trash, visibility };
}

/** Actions on all selected documents at once. */
export function BulkBar({ selection }: { readonly selection: Selection }) {
  const [opened, open] = useState<'run' | null>(null);
  const canRun = useCan('runs:execute');
  const canWrite = useCan('documents:write');
  const { all, trash, visibility } = useBulk(selection);
  const { size } = selection.ids;
  if (size === 0) return null;
  return (
    <section
      aria-label={words.bulk}
      className="fixed inset-x-4 bottom-4 z-20 mx-auto flex w-fit max-w-[calc(100vw-2rem)] flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 py-2 shadow-pop max-md:bottom-18"
    >
      <p role="status" className="me-2 font-medium">
        {words.selected(size)}
      </p>
      {canRun && (
        <Button size="small" icon={<Play size={14} aria-hidden />} onClick={() => open('run')}>
          {oneWords.runWorkflow}
        </Button>
      )}
      {canWrite && (
        <>
          <Button
            size="small"
            icon={<Eye size={14} aria-hidden />}
            disabled={visibility.isPending}
            onClick={() => visibility.mutate('public')}
          >
            {oneWords.makePublic}
          </Button>
          <Button
            size="small"
            icon={<EyeOff size={14} aria-hidden />}
            disabled={visibility.isPending}
            onClick={() => visibility.mutate('private')}
          >
            {oneWords.makePrivate}
          </Button>
          <Button
            size="small"
            look="danger"
            icon={<Trash2 size={14} aria-hidden />}
            busy={trash.isPending}
            onClick={() => trash.mutate(all)}
          >
            {oneWords.toTrash}
          </Button>
        </>
      )}
      <IconButton size="small" label={words.clearSelection} onClick={selection.clear}>
        <X size={15} aria-hidden />
      </IconButton>
      {opened === 'run' && <RunDialog documentIds={[...selection.ids]} onClose={() => open(null)} />}
    </section>
  );
}
