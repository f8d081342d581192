import { readFileSync } from 'node:fs';

const model = 'needs a model: test/examples/agents.test.ts runs the examples with one';
const containers = 'needs Docker or Kubernetes: test/container reads these files and commands';

/** Each block of code in each guide: how a test tries it, or the reason why none does. */
export const plan = {
  'accounts.md': ['settings', 'shell', 'needs a member who joined without a confirmed address: test/auth confirms one'],
  'build-an-agent.md': [
    model,
    `part of examples/agent-langchain.ts; it ${model}`,
    'part of a graph: test/mcp/work/workflow-tools publishes and calls one',
    'part of a node: test/graphs/nodes calls such tools',
    'first line',
  ],
  'client.md': [
    'shell',
    'ts',
    'writes into the folder: test/examples/folder-to-csv generates this client',
    'test/examples/folder-to-csv runs it with the generated client',
  ],
  'containers.md': [containers, containers, containers],
  'dashboard.md': [],
  'experiments.md': ['runs for minutes: test/scripts/experiment.test.ts measures with a smaller file', 'json'],
  'first-agent.md': ['json', 'program', 'shell'],
  'first-node.md': ['ts', 'ts', 'writes into the repository, and runs all tests'],
  'first-scan.md': [
    'endless: test/supervisor starts services as npm start does',
    'shell',
    'shell',
    'shell',
    'shell',
    'shell',
    'shell',
    'an endless stream: test/spec/proofs reads it',
  ],
  'first-workflow.md': ['program', 'program', 'shell', 'endless: test/langgraph starts the server'],
  'going-to-production.md': [
    'a unit of systemd',
    'settings',
    'moves to the MongoDB above: test/scripts/moving moves an installation',
    'shell',
  ],
  'members-and-roles.md': [
    'shell',
    'shell',
    'shell',
    'needs the codes of an app: test/auth signs in with them',
    'needs the codes of an app: test/auth demands them',
  ],
  'operations.md': ['settings'],
  'records.md': ['json', 'shell', 'shell', 'shell', 'shell', 'shell'],
  'results.md': ['shell', 'shell', 'shell', 'shell', 'shell', 'shell'],
  'webhooks.md': [
    'endless: test/spec/proofs/webhooks has such a receiver',
    'needs the address of a receiver: test/spec/proofs/webhooks adds one',
    'shows a delivery',
  ],
  'your-own-code.md': [
    'endless: test/scripts/inkgraph/own-project makes and runs such a project',
    'part of the project that init makes: test/scripts/inkgraph/own-project runs it',
    'a node that fails: test/graphs/code/own-errors runs it',
    'needs a model: test/scripts/inkgraph/own-project has such an agent with scripted answers',
  ],
} as const;

export type Guide = keyof typeof plan;

export const guidesFolder = new URL('../../../docs/guide/', import.meta.url);

/** All blocks of code in a guide that name their language. */
export function allBlocks(guide: string): string[] {
  const page = readFileSync(new URL(guide, guidesFolder), 'utf8');
  return [...page.matchAll(/^( *)```[a-z]+\n(.*?)^\1```$/gms)].map(([, , block = '']) =>
    block.replaceAll(/^ {3}(?=[A-Z]+_?[A-Z]*=|npm )/gm, ''),
  );
}

/** Blocks of a guide that are tried in this way. */
export function blocksOf(guide: Guide, how: string): string[] {
  const ways: readonly string[] = plan[guide];
  return allBlocks(guide).filter((_, place) => ways[place] === how);
}
