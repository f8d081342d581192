import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { useSession } from '../../shell/session.ts';
import { document as words } from '../../text/document.ts';
import { shell } from '../../text/shell.ts';

/** Published workflows, to choose one from. */
export function useWorkflows() {
  const list = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const published = list.data?.workflows.filter(({ publishedVersion }) => publishedVersion !== null);
  return { list, published };
}

/** Queues a workflow over documents, as many at a time as the server takes. */
function useRun(documentIds: readonly string[], onClose: () => void) {
  const client = useQueryClient();
  const { limits } = useSession();
  return useMutation({
    mutationFn: async (workflowId: string) => {
      const [first] = documentIds;
      if (documentIds.length === 1 && first !== undefined)
        return (await call('documents', 'run', { params: { id: first }, body: { workflowId } })).workflowName;
      let name = workflowId;
      for (let at = 0; at < documentIds.length; at += limits.documentIds) {
        const some = documentIds.slice(at, at + limits.documentIds);
        name = (await call('documents', 'runMany', { body: { workflowId, documentIds: some } })).workflowName;
      }
      return name;
    },
    onSuccess: (name) => {
      toast(words.queued(name));
      onClose();
    },
    onError: toastError,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['documents'] });
    },
  });
}

/** Asks which workflow to run on documents. */
export function RunDialog({ documentIds, onClose }: { documentIds: readonly string[]; onClose: () => void }) {
  const { list, published } = useWorkflows();
  const run = useRun(documentIds, onClose);
  return (
    <Dialog title={words.runWorkflow} onClose={onClose}>
      <Loaded query={list}>
        {() =>
          published === undefined || published.length === 0 ? (
            <Empty title={words.noWorkflowsTitle}>{words.noWorkflows}</Empty>
          ) : (
            <form
              className="grid gap-4"
              onSubmit={(event) => {
                event.preventDefault();
                const chosen = new FormData(event.currentTarget).get('workflow');
                if (typeof chosen === 'string') run.mutate(chosen);
              }}
            >
              <SelectField name="workflow" label={words.chooseWorkflow} hint={words.workflowHint}>
                {published.map(({ workflowId, name }) => (
                  <option key={workflowId} value={workflowId}>
                    {name}
                  </option>
                ))}
              </SelectField>
              <div className="flex justify-end gap-2">
                <Button onClick={onClose}>{shell.cancel}</Button>
                <Button type="submit" look="primary" busy={run.isPending}>
                  {words.start}
                </Button>
              </div>
            </form>
          )
        }
      </Loaded>
    </Dialog>
  );
}
