import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { keyPresets } from '#src/contracts/scopes.ts';
import { fieldErrors } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Failure } from '../../parts/states.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { itemsIn } from '../document/edit.ts';

const kinds = ['workflow', 'service'] as const;
/** The type is the table of the contract, so that a change there does not compile here. */
const presets: typeof keyPresets = {
  'read-only': ['workflows:read', 'runs:read', 'documents:read'],
  'upload-only': ['uploads:write'],
};
const presetNames = ['read-only', 'upload-only'] as const satisfies readonly (keyof typeof presets)[];

/** Scopes of the chosen preset; none: those of the kind. */
function scopesOf(preset: string) {
  const named = presetNames.find((name) => name === preset);
  return named === undefined ? {} : { scopes: [...presets[named]] };
}

/** Lines for a shell that upload a file with a new workflow key. */
const curlLines = (secret: string): string =>
  [
    `KEY=${secret} FILE=scan.png`,
    `REPLY=$(curl -s ${location.origin}/api/uploads/presign -H "x-api-key: $KEY" -H 'content-type: application/json' \\`,
    `  -d "{\\"contentType\\":\\"image/png\\",\\"size\\":$(wc -c < "$FILE"),\\"filename\\":\\"$FILE\\"}")`,
    `curl -s -T "$FILE" "$(echo "$REPLY" | grep -o '"uploadUrl":"[^"]*' | cut -d'"' -f4)"`,
    `curl -s ${location.origin}/api/uploads/ack -H "x-api-key: $KEY" -H 'content-type: application/json' \\`,
    `  -d "{\\"objectKey\\":\\"$(echo "$REPLY" | grep -o '"objectKey":"[^"]*' | cut -d'"' -f4)\\"}"`,
  ].join('\n');

/** A secret that is shown once, with what to do next. */
export function IssuedSecret({
  secret,
  kind,
  onClose,
}: {
  readonly secret: string;
  readonly kind: 'workflow' | 'service';
  readonly onClose: () => void;
}) {
  const lines = curlLines(secret);
  return (
    <Dialog title={words.kindsShort[kind]} onClose={onClose} wide>
      <div className="grid gap-3">
        <p>{words.keyOnce}</p>
        <div className="flex items-center gap-2">
          <code className="min-w-0 flex-1 rounded-md bg-bg p-2 text-xs">{secret}</code>
          <Copy text={secret} />
        </div>
        {kind === 'workflow' && (
          <>
            <p>{words.keyCurl}</p>
            <pre tabIndex={0} className="relative overflow-x-auto rounded-md bg-bg p-2 font-mono text-xs">
              {lines}
            </pre>
            <Copy text={lines} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Makes an API key and shows its secret once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const { projects } = useSession();
  const { one } = useProject();
  const [kind, setKind] = useState<'workflow' | 'service'>('workflow');
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const issue = useChange('organization', 'issueKey', { outdated: [['organization', 'keys']], showsError: true });
  const errors = fieldErrors(issue.error);
  if (issue.data !== undefined) return <IssuedSecret secret={issue.data.secret} kind={kind} onClose={onClose} />;
  return (
    <Dialog title={words.newKey} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const field = (name: string) => form.get(name) as string;
          const callbackUrl = kind === 'workflow' && field('callback') !== '' ? { callbackUrl: field('callback') } : {};
          const ofKind =
            kind === 'workflow' ? { workflowId: field('workflow'), ...callbackUrl } : scopesOf(field('preset'));
          const languages = itemsIn(field('languages'));
          const more = { ...ofKind, ...(languages.length > 0 && { languages }) };
          issue.mutate({ body: { kind, name: field('name'), projectId: field('project'), ...more } });
        }}
      >
        <TextField name="name" required maxLength={200} label={words.name} error={errors['name']} />
        <SelectField
          label={words.kind}
          value={kind}
          onChange={({ currentTarget: { value } }) => setKind(kinds.find((name) => name === value) ?? 'workflow')}
        >
          {kinds.map((name) => (
            <option key={name} value={name}>
              {words.kinds[name]}
            </option>
          ))}
        </SelectField>
        <SelectField name="project" label={words.project} defaultValue={one?.id}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        {kind === 'service' && (
          <SelectField name="preset" label={words.scopes} hint={words.presetHint} error={errors['scopes']}>
            <option value="">{words.usualScopes}</option>
            {presetNames.map((name) => (
              <option key={name} value={name}>
                {words.presets[name]}
              </option>
            ))}
          </SelectField>
        )}
        {kind === 'workflow' && (
          <SelectField name="workflow" label={words.workflow} error={errors['workflowId']}>
            {workflows.data?.workflows.map(({ workflowId, name }) => (
              <option key={workflowId} value={workflowId}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        {kind === 'workflow' && (
          <TextField
            name="callback"
            type="url"
            maxLength={2_000}
            label={words.callback}
            error={errors['callbackUrl']}
          />
        )}
        <TextField
          name="languages"
          label={words.keyLanguages}
          error={Object.entries(errors).find(([name]) => name.startsWith('languages'))?.[1]}
        />
        {issue.error !== null && Object.keys(errors).length === 0 && <Failure error={issue.error} />}
        <Button type="submit" look="primary" busy={issue.isPending} className="justify-self-end">
          {words.newKey}
        </Button>
      </form>
    </Dialog>
  );
}
