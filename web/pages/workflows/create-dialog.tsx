import { useMutation, useQueryClient } from '@tanstack/react-query';
import { navigate } from '../../router/navigate.ts';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { fieldErrors } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { Failure } from '../../parts/states.tsx';
import { toastError } from '../../parts/toast.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { shell } from '../../text/shell.ts';
import { workflows as words } from '../../text/workflows.ts';

type Listed = Reply<'workflows', 'list'>['workflows'][number];

/** Creates a workflow, and opens it. */
function useCreate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Parameters<typeof call<'workflows', 'create'>>[2]['body']) =>
      call('workflows', 'create', { body: body ?? {} }),
    onSuccess: ({ workflowId }) => {
      void client.invalidateQueries({ queryKey: ['workflows', 'list'] });
      navigate({ to: '/workflows/$id', params: { id: workflowId } });
    },
  });
}

/** Copies a workflow and opens the copy. */
export function CopyButton({ workflowId, name }: { readonly workflowId: string; readonly name: string }) {
  const { one } = useProject();
  const create = useCreate();
  const copy = (): void =>
    create.mutate(
      { from: { workflowId }, name: words.copyOf(name), ...(one !== undefined && { projectId: one.id }) },
      { onError: toastError },
    );
  return (
    <Button icon={<Copy size={14} aria-hidden />} busy={create.isPending} onClick={copy}>
      {words.copy}
    </Button>
  );
}

const nothing = 'nothing';

/** A new workflow: empty, or as a copy of a built-in one or of another. */
export function CreateDialog({
  workflows,
  onClose,
}: {
  readonly workflows: readonly Listed[];
  readonly onClose: () => void;
}) {
  const { projects } = useSession();
  const { one } = useProject();
  const create = useCreate();
  const errors = fieldErrors(create.error);
  const [from, setFrom] = useState(nothing);
  const submit = (data: FormData): void => {
    const text = (field: string): string => {
      const value = data.get(field);
      return typeof value === 'string' ? value.trim() : '';
    };
    create.mutate({
      name: text('name'),
      ...(text('description') !== '' && { description: text('description') }),
      ...(from !== nothing && { from: { workflowId: from } }),
      projectId: text('project') === '' ? one?.id : text('project'),
    });
  };
  return (
    <Dialog title={words.new} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        {create.error !== null && Object.keys(errors).length === 0 && <Failure error={create.error} />}
        <TextField label={words.name} name="name" required maxLength={200} error={errors['name']} />
        <TextArea
          label={words.description}
          name="description"
          rows={2}
          maxLength={4_000}
          error={errors['description']}
        />
        <SelectField
          label={words.startFrom}
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        >
          <option value={nothing}>{words.fromNothing}</option>
          {workflows.map(({ workflowId, name, source }) => (
            <option key={workflowId} value={workflowId}>
              {source === 'code' ? words.builtIn(name) : words.copyOf(name)}
            </option>
          ))}
        </SelectField>
        {projects.length > 1 && (
          <SelectField label={words.chooseProject} name="project" defaultValue={one?.id}>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
