import { AppError } from '#src/domain/app-error.ts';
import { VersionRef } from '#src/contracts/resources/workflow.ts';
import { tools } from '#tools/index.ts';
import { fit } from '#mcp/present/untrusted.ts';
import { completeVersion, completeWorkflow } from '#mcp/completion/completers.ts';
import { attachWorkflow } from '#mcp/prompts/attach.ts';
import { says, steps, workflowArgument, type McpPrompt } from '#mcp/prompts/prompt.ts';

const words = ['draft', 'published'];

function versionOf(name: string, text: string): VersionRef {
  const read = VersionRef.safeParse(text);
  if (read.success) return read.data;
  const message = 'expected draft, published or the number of a version';
  throw new AppError('request.invalid', `Argument ${name}: ${message}.`);
}

export const compareVersions: McpPrompt = {
  name: 'compare_versions',
  title: 'Compare two versions of a workflow',
  description: 'Explain what changed between two versions, and how their runs differ.',
  toolset: 'workflows',
  scopes: ['workflows:read'],
  changes: false,
  arguments: [
    { ...workflowArgument, complete: completeWorkflow },
    {
      name: 'from',
      title: 'From',
      description: 'Number of a version, published or draft',
      required: true,
      complete: completeVersion('workflowId', words),
    },
    {
      name: 'to',
      title: 'To',
      description: 'Number of a version, published or draft; default draft',
      required: false,
      complete: completeVersion('workflowId', words),
    },
  ],
  async messages(ask, { workflowId = '', from = '', to = 'draft' }) {
    const base = versionOf('from', from);
    const diff = await ask(tools.diffWorkflowVersions, { workflowId, from: base, to: versionOf('to', to) });
    const { text, cuts } = fit({ ...diff });
    const cut = cuts.map(
      ({ shown, of, what }) => `\nCut to fit: ${shown} of ${of} of ${what}; diff_workflow_versions has all.`,
    );
    const { message } = await attachWorkflow(ask, workflowId, typeof base === 'number' ? base : undefined);
    const how = steps([
      `The operations that turn ${from} into ${to} are below; the attached graph is ${typeof base === 'number' ? `version ${base}` : 'the newest'}.`,
      'Explain in a few sentences what they change for a document: steps, models, prompts, limits. Name nodes by their ids.',
      'For node types that you do not know, call describe_node_types with types.',
      `If there is a dataset, call run_experiment with the two versions of "${workflowId}" as variants and split "dev", and report its verdict. Without one, call list_runs with workflowId "${workflowId}", count the runs that succeeded, and say that this proves little.`,
      'Say which version you would publish, and why. Change nothing.',
    ]);
    return [
      says(
        `Compare ${from} with ${to} of the Inkgraph workflow ${workflowId}:\n${how}\n\nThe difference:\n${text}${cut.join('')}`,
      ),
      message,
    ];
  },
};
