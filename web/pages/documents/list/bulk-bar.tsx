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
import { inParts, type Chosen, type Filter } from '../in-parts.ts';
import { useTrash } from '../use-trash.ts';
import type { Selection } from './selection.ts';

function useBulk(chosen: Chosen, { clear }: Selection) {
  const client = useQueryClient();
  const { limits } = useSession();
  const trash = useTrash((failed) => {
    if (!failed) clear();
  });
  const visibility = useMutation({
    mutationFn: async (next: 'private' | 'public') => {
      let done = 0;
      await inParts(chosen, limits.documentIds, async (part) => {
        const reply = await call('documents', 'visibility', { body: { ...part, visibility: next } });
        done += reply.documents.length;
        return reply;
      });
      return { done, next };
    },
    onSuccess: ({ done, next }) => toast(words.visibilityDone(done, next)),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['documents'] }),
  });
  return { trash: { ...trash, move: () => trash.mutate(chosen) }, visibility };
}

interface BulkBarProps {
  readonly selection: Selection;
  /** The filter of the list, when more documents match than are loaded; null: all are loaded, or a search has no more. */
  readonly rest: { readonly filter: Filter; readonly total: string } | null;
}

/** Actions on all selected documents at once. */
export function BulkBar({ selection, rest }: BulkBarProps) {
  const [opened, open] = useState<'run' | null>(null);
  const canRun = useCan('runs:execute');
  const canWrite = useCan('documents:write');
  const isWhole = selection.isWhole && rest !== null;
  const chosen = isWhole ? { filter: rest.filter } : { documentIds: [...selection.ids] };
  const { trash, visibility } = useBulk(chosen, selection);
  const { size } = selection.ids;
  if (size === 0) return null;
  return (
    <section
      aria-label={words.bulk}
      className="fixed inset-x-4 bottom-4 z-20 mx-auto flex w-fit max-w-[calc(100vw-2rem)] flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 py-2 shadow-pop max-md:bottom-18"
    >
      <p role="status" className="me-2 font-medium">
        {isWhole ? words.wholeSelected(rest.total) : words.selected(size)}
      </p>
      {rest !== null && !isWhole && (
        <Button size="small" onClick={selection.whole}>
          {words.selectWhole(rest.total)}
        </Button>
      )}
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
            onClick={trash.move}
          >
            {words.trash}
          </Button>
        </>
      )}
      <IconButton size="small" label={words.clearSelection} onClick={selection.clear}>
        <X size={15} aria-hidden />
      </IconButton>
      {opened === 'run' && <RunDialog chosen={chosen} onClose={() => open(null)} />}
    </section>
  );
}
