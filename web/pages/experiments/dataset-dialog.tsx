import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldErrors } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { Failure } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { useProject } from '../../shell/session.ts';
import { experiments as words } from '../../text/experiments.ts';
import { shell } from '../../text/shell.ts';
import { ChosenDocuments } from './chosen-documents.tsx';

const sources = ['records', 'answers', 'documents'] as const;
type Source = (typeof sources)[number];

function bodyOf(fields: FormData, source: Source, documents: readonly string[]) {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const as = (['label', 'fields', 'text'] as const).find((name) => name === text('as')) ?? 'label';
  const said = { name: text('name'), description: text('description'), devShare: Number(text('devShare')) };
  switch (source) {
    case 'records':
      return { ...said, source: { type: 'records' as const, recordType: text('recordType') } };
    case 'answers':
      return { ...said, source: { type: 'answers' as const, workflowId: text('workflow'), path: text('path'), as } };
    case 'documents':
      return { ...said, items: documents.map((documentId) => ({ documentId })) };
  }
}

function RecordsSource({ error }: { readonly error: string | undefined }) {
  const types = useQuery(read('records', 'types', { query: {} }));
  return (
    <SelectField label={words.recordType} hint={words.recordTypeHint} name="recordType" error={error} required>
      {types.data?.recordTypes.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}

function AnswersSource({ error }: { readonly error: string | undefined }) {
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  return (
    <>
      <SelectField label={words.workflow} name="workflow" required>
        {workflows.data?.workflows.map(({ workflowId, name }) => (
          <option key={workflowId} value={workflowId}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField label={words.answersNode} hint={words.answersNodeHint} name="path" error={error} required />
      <SelectField label={words.answersAs} name="as">
        {(['label', 'fields', 'text'] as const).map((name) => (
          <option key={name} value={name}>
            {words.referenceKinds[name]}
          </option>
        ))}
      </SelectField>
    </>
  );
}

/** Makes a dataset of confirmed records, answers of people, or chosen documents. */
export function DatasetDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const project = useProject();
  const form = useRef<HTMLFormElement>(null);
  const [source, choose] = useState<Source>('records');
  const [documents, chooseDocuments] = useState<readonly string[]>([]);
  const save = useMutation({
    mutationFn: () =>
      call('experiments', 'saveDataset', {
        body: { ...bodyOf(new FormData(form.current ?? undefined), source, documents), projectId: project.id },
      }),
    onSuccess: ({ name, added, skipped }) => {
      toast(words.datasetSaved(name, added, skipped));
      onClose();
      void client.invalidateQueries({ queryKey: ['experiments', 'datasets'] });
    },
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      title={words.newDataset}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button
            look="primary"
            busy={save.isPending}
            disabled={source === 'documents' && documents.length === 0}
            onClick={() => {
              if (form.current?.reportValidity() === true) save.mutate();
            }}
          >
            {words.saveDataset}
          </Button>
        </>
      }
    >
      <form ref={form} className="grid gap-3" onSubmit={(event) => event.preventDefault()}>
        <TextField label={words.name} name="name" maxLength={200} error={errors['name']} required />
        <TextArea label={words.datasetDescription} name="description" rows={2} maxLength={2000} />
        <SelectField
          label={words.datasetSource}
          value={source}
          onChange={({ currentTarget }) => choose(sources.find((name) => name === currentTarget.value) ?? 'records')}
        >
          {sources.map((name) => (
            <option key={name} value={name}>
              {words.datasetSources[name]}
            </option>
          ))}
        </SelectField>
        {source === 'records' && <RecordsSource error={errors['source/recordType']} />}
        {source === 'answers' && <AnswersSource error={errors['source/path']} />}
        {source === 'documents' && <ChosenDocuments chosen={documents} onChange={chooseDocuments} />}
        <TextField
          label={words.devShare}
          hint={words.devShareHint}
          name="devShare"
          type="number"
          min={0.1}
          max={0.9}
          step={0.05}
          defaultValue={0.6}
          required
        />
        {save.error !== null && <Failure error={save.error} />}
      </form>
    </Dialog>
  );
}
