import { FileUp, X } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { useAddFiles } from '../../shell/add-files.ts';
import { useProject, useSession } from '../../shell/session.ts';
import { dropped } from '../../state/dropped.ts';
import { rememberedText } from '../../state/remembered.ts';
import { bytes } from '../../text/format.ts';
import { shell } from '../../text/shell.ts';
import { upload as words } from '../../text/list/upload.ts';
import { useWorkflows } from '../document/run-dialog.tsx';
import { FileChooser } from './file-chooser.tsx';

/** Workflow of the last upload in this browser, chosen again for the next one. `none`: files were kept without one. Empty: there was no upload. */
const lastWorkflow = rememberedText('upload-workflow');
const none = 'none';
/** Workflow for the first upload, and where the last one is gone: it reads and describes a document. */
const usualSlug = 'wf_document_intake';

function FileList({ files, onDrop }: { readonly files: readonly File[]; readonly onDrop: (file: File) => void }) {
  return (
    <ul className="max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line empty:hidden">
      {files.map((file) => (
        <li key={`${file.name} ${file.size} ${file.lastModified}`} className="flex items-center gap-2 py-1 ps-3 pe-1">
          <span className="min-w-0 flex-1 truncate" dir="auto">
            {file.name}
          </span>
          <span className="text-xs text-muted">{bytes(file.size)}</span>
          <IconButton size="small" label={`${shell.remove}: ${file.name}`} onClick={() => onDrop(file)}>
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Area to drop or choose files, with the accepted types. */
function Chooser({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const { limits } = useSession();
  return (
    <div
      className="grid justify-items-center gap-2 rounded-lg border-2 border-dashed border-line-strong/60 px-4 py-6 text-center"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void dropped(event.dataTransfer).then(onFiles);
      }}
    >
      <FileUp size={24} aria-hidden className="text-muted" />
      <p>{words.drop}</p>
      <FileChooser onFiles={onFiles} />
      <p className="text-xs text-muted">
        {words.types(limits.contentTypes.includes('image/heic'))}. {words.limit(bytes(limits.uploadMaxBytes))}.
      </p>
    </div>
  );
}

interface UploadDialogProps {
  readonly files: readonly File[];
  readonly onFiles: (files: readonly File[]) => void;
  readonly onClose: () => void;
}

/** Files on their way in: into which project, and what is to run on them. */
export function UploadDialog({ files: first, onFiles, onClose }: UploadDialogProps) {
  const { projects } = useSession();
  const { one } = useProject();
  const { published } = useWorkflows();
  const addFiles = useAddFiles();
  const [left, leave] = useState<ReadonlySet<File>>(new Set());
  const files = first.filter((file) => !left.has(file));
  const last = lastWorkflow.get();
  const usual =
    published?.find(({ workflowId }) => workflowId === last) ??
    (last === none ? undefined : published?.find(({ slug }) => slug === usualSlug));
  const send = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [projectId, workflowId] = [form.get('project') ?? one?.id, form.get('workflow')];
    if (typeof projectId !== 'string' || files.length === 0) return;
    if (typeof workflowId === 'string') lastWorkflow.set(workflowId || none);
    addFiles(files, {
      projectId,
      workflowId: typeof workflowId === 'string' && workflowId !== '' ? workflowId : undefined,
    });
    onClose();
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form className="grid gap-4" onSubmit={send}>
        <Chooser onFiles={onFiles} />
        <FileList files={files} onDrop={(file) => leave((all) => new Set([...all, file]))} />
        {projects.length > 1 && (
          <SelectField name="project" label={words.project} defaultValue={one?.id}>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        {published !== undefined && (
          <SelectField
            name="workflow"
            label={words.workflow}
            hint={words.workflowHint}
            defaultValue={usual?.workflowId ?? ''}
          >
            <option value="">{words.none}</option>
            {published.map(({ workflowId, name }) => (
              <option key={workflowId} value={workflowId}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" disabled={files.length === 0}>
            {words.start(files.length)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
