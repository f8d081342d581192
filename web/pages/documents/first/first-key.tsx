import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { fieldErrors, Problem } from '../../../api/problem.ts';
import { Button } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { Failure } from '../../../parts/states.tsx';
import { useCan, useProject } from '../../../shell/session.ts';
import { firstUpload as words } from '../../../text/first-upload.ts';
import { useWorkflows } from '../../document/run-dialog.tsx';

/** Leads to the page that asks for the password again, and back here. */
function proveAgain(): void {
  location.assign(`/reauthenticate?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
}

function useIssue() {
  const { one } = useProject();
  return useMutation({
    mutationFn: (workflowId: string) =>
      call('organization', 'issueKey', {
        body: { kind: 'workflow', name: words.keyName, workflowId, ...(one !== undefined && { projectId: one.id }) },
      }),
    onError: (error) => {
      if (error instanceof Problem && error.code === 'auth.reauthentication_required') proveAgain();
    },
  });
}

/** Makes the first workflow key, and shows the commands that upload with it. */
export function FirstKey() {
  const canIssue = useCan('keys:manage');
  const { published } = useWorkflows();
  const issue = useIssue();
  if (!canIssue) return <p className="text-muted">{words.keyForbidden}</p>;
  if (issue.data !== undefined) {
    const commands = words.curl(location.origin, issue.data.secret);
    return (
      <div className="grid gap-2">
        <p className="font-medium text-warn">{words.keyOnce}</p>
        <pre className="relative overflow-x-auto rounded-md border border-line bg-bg p-2 font-mono text-xs">
          {commands}
        </pre>
        <div>
          <Copy text={commands} label={words.copyCurl} />
        </div>
      </div>
    );
  }
  const usual = published?.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))[0]?.workflowId;
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = new FormData(event.currentTarget).get('workflow');
        if (typeof chosen === 'string') issue.mutate(chosen);
      }}
    >
      <p className="text-muted">{words.key}</p>
      {published !== undefined && (
        <SelectField
          name="workflow"
          label={words.keyWorkflow}
          defaultValue={usual}
          error={fieldErrors(issue.error)['workflowId']}
        >
          {published.map(({ workflowId, name }) => (
            <option key={workflowId} value={workflowId}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {issue.error !== null && <Failure error={issue.error} />}
      <div>
        <Button type="submit" busy={issue.isPending} disabled={published === undefined || published.length === 0}>
          {words.create}
        </Button>
      </div>
    </form>
  );
}
