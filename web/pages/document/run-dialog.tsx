import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { navigate } from '../../router/navigate.ts';
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
import { inParts, type Chosen } from '../documents/in-parts.ts';

/** Published workflows, to choose one from. */
export function useWorkflows() {
  const list = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const published = list.data?.workflows.filter(({ publishedVersion }) => publishedVersion !== null);
  return { list, published };
}

/** Parameters of the page that shows the runs of these executions with their progress. */
const progressOf = (workflow: string, executions: readonly string[]) => {
  const [execution, ...more] = executions;
  // Several executions have the workflow in common, and today.
  return execution !== undefined && more.length === 0
    ? { execution }
    : { workflow, after: new Date().toLocaleDateString('sv') };
};

/** Queues a workflow over documents, as many at a time as the server takes. */
function useRun(chosen: Chosen, onClose: () => void) {
  const client = useQueryClient();
  const { limits } = useSession();
  return useMutation({
    mutationFn: async (workflowId: string) => {
      const executions: string[] = [];
      let name = workflowId;
      let documents = 0;
      await inParts(chosen, limits.documentIds, async (part) => {
        const queued = await call('documents', 'runMany', { body: { workflowId, ...part } });
        name = queued.workflowName;
        for (const { executionId, documentIds } of queued.executions) {
          executions.push(executionId);
          documents += documentIds.length;
        }
        return queued;
      });
      return { name, documents, search: progressOf(workflowId, executions) };
    },
    onSuccess: ({ name, documents, search }) => {
      toast(words.queued(name, documents), {
        label: words.progress,
        run: () => navigate({ to: '/runs', search }),
      });
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
export function RunDialog({ chosen, onClose }: { readonly chosen: Chosen; readonly onClose: () => void }) {
  const { list, published } = useWorkflows();
  const run = useRun(chosen, onClose);
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
                const workflow = new FormData(event.currentTarget).get('workflow');
                if (typeof workflow === 'string') run.mutate(workflow);
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
