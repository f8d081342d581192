import { useMutation, useQueryClient } from '@tanstack/react-query';
import { navigate } from '../../router/navigate.ts';
import { Download, Eye, EyeOff, MoreHorizontal, Play, Tag, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { address, call } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { document as words } from '../../text/document.ts';
import { documents as listWords } from '../../text/documents.ts';
import { useTrash } from '../documents/use-trash.ts';
import type { Detail } from './reading.ts';
import { RunDialog } from './run-dialog.tsx';

const EditDialog = lazy(async () => ({ default: (await import('./edit-dialog.tsx')).EditDialog }));

const extensions = { text: 'txt', markdown: 'md', hocr: 'hocr.html', alto: 'alto.xml', pdf: 'pdf' } as const;
type Format = keyof typeof extensions;

/** Saves what an address answers as a file. */
function save(url: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function Downloads({ detail }: { readonly detail: Detail }) {
  const { id, filename } = detail;
  const stem = (filename ?? id).replace(/\.[^.]+$/, '');
  const formats = detail.ocr === null ? [] : (Object.keys(extensions) as Format[]);
  return (
    <Menu
      label={words.download}
      trigger={
        <>
          <Download size={15} aria-hidden />
          <span className="max-sm:sr-only">{words.download}</span>
        </>
      }
      items={[
        { label: words.original, onChoose: () => save(detail.originalUrl, filename ?? id) },
        ...formats.map((format) => ({
          label: words.formats[format],
          onChoose: () =>
            save(address('documents', 'text', { params: { id }, query: { format } }), `${stem}.${extensions[format]}`),
        })),
      ]}
    />
  );
}

/** Makes the document private or public. */
function useVisibility({ id, visibility }: Detail) {
  const client = useQueryClient();
  const next = visibility === 'public' ? 'private' : 'public';
  return useMutation({
    mutationFn: () => call('documents', 'visibility', { body: { documentIds: [id], visibility: next } }),
    onSuccess: () => toast(words.visibilityDone[next]),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['documents'] }),
  });
}

/** Actions on the whole document, those alone that the role may do. */
export function DocumentActions({ detail }: { readonly detail: Detail }) {
  const [opened, open] = useState<'run' | 'edit' | null>(null);
  const canRun = useCan('runs:execute');
  const canWrite = useCan('documents:write');
  const visibility = useVisibility(detail);
  const trash = useTrash(async (failed) => {
    if (!failed) navigate({ to: '/documents' });
  });
  const isPublic = detail.visibility === 'public';
  return (
    <>
      <Downloads detail={detail} />
      {canRun && (
        <Button icon={<Play size={15} aria-hidden />} onClick={() => open('run')}>
          {words.runWorkflow}
        </Button>
      )}
      {canWrite && (
        <Menu
          label={words.more}
          trigger={<MoreHorizontal size={16} aria-hidden />}
          items={[
            {
              label: listWords.edit.open,
              icon: <Tag size={15} aria-hidden />,
              onChoose: () => open('edit'),
            },
            {
              label: isPublic ? words.makePrivate : words.makePublic,
              icon: isPublic ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />,
              isDisabled: visibility.isPending,
              onChoose: () => visibility.mutate(),
            },
            {
              label: listWords.trash,
              icon: <Trash2 size={15} aria-hidden />,
              isDanger: true,
              isDisabled: trash.isPending,
              onChoose: () => trash.mutate({ documentIds: [detail.id] }),
            },
          ]}
        />
      )}
      {opened === 'run' && <RunDialog chosen={{ documentIds: [detail.id] }} onClose={() => open(null)} />}
      <Suspense fallback={null}>
        {opened === 'edit' && <EditDialog detail={detail} onClose={() => open(null)} />}
      </Suspense>
    </>
  );
}
