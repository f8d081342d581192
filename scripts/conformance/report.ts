import type { TopologyResult } from '#scripts/conformance/topology.ts';

/** One file of tests as vitest's JSON reporter writes it. */
interface FileResult {
  readonly name: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[] | null;
  }[];
}

export interface TestResults {
  readonly testResults: readonly FileResult[];
}

export interface Deployment {
  readonly version: string;
  readonly kind: string;
  readonly hasSearch: boolean;
  /** Address of the deployment, which no report names. */
  readonly uri: string;
}

export interface Report {
  readonly text: string;
  readonly passed: number;
  readonly failed: number;
}

interface Row {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Failure {
  readonly test: string;
  readonly message: string;
}

function rowOf(root: string, { name, assertionResults, message }: FileResult): Row {
  const count = (...statuses: readonly string[]): number =>
    assertionResults.filter(({ status }) => statuses.includes(status)).length;
  const failed = count('failed');
  return {
    file: name.replace(root, ''),
    passed: count('passed'),
    // A file that did not load has a message and no test.
    failed: failed === 0 && message !== '' ? 1 : failed,
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  };
}

function failuresOf(root: string, { name, assertionResults, message }: FileResult): Failure[] {
  const found = assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ test: fullName, message: failureMessages?.[0] ?? '' }));
  return found.length === 0 && message !== '' ? [{ test: name.replace(root, ''), message }] : found;
}

/** The first line, without addresses and folders of whoever ran it. */
function publicLine(message: string, { uri }: Deployment, root: string): string {
  const [line = ''] = message.split('\n');
  const hosts = /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri)?.[1]?.split(',') ?? [];
  const hidden = [root, ...hosts, ...hosts.map((host) => host.replace(/:\d+$/, ''))];
  const shown = hidden.reduce(
    (text, secret) => text.replaceAll(secret, '…'),
    line.replaceAll(/mongodb(?:\+srv)?:\/\/\S+/g, '…'),
  );
  return shown.slice(0, 200).replaceAll('|', String.raw`\|`);
}

interface About {
  readonly root: string;
  readonly version: string;
  readonly at: Date;
  readonly notes: readonly string[];
  /** null: no processes were tried. */
  readonly topology?: TopologyResult | null;
}

/** Processes on the deployment, and what was broken. */
function topologyLines(topology: TopologyResult | null, hide: (message: string) => string): readonly string[] {
  if (topology === null) return [];
  const { figures, violations } = topology;
  const broken =
    violations.length === 0 ? ['- no promise was broken'] : violations.map((one) => `- broken: ${hide(one)}`);
  return ['', '## Processes', '', ...figures.map((one) => `- ${one}`), ...broken];
}

/** The report on a deployment: what it is, the outcome of each file, and each failure in a line. It names no host and no credential. */
export function reportOf(
  results: TestResults,
  deployment: Deployment,
  { root, version, at, notes, topology = null }: About,
): Report {
  const rows = results.testResults.map((file) => rowOf(root, file)).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const sum = (key: 'passed' | 'failed' | 'skipped'): number => rows.reduce((total, row) => total + row[key], 0);
  const failures = results.testResults.flatMap((file) => failuresOf(root, file));
  const search = deployment.hasSearch ? 'with search' : 'without search: words by an ordinary index';
  const lines = [
    `# MongoDB ${deployment.version}, ${at.toISOString().slice(0, 10)}`,
    '',
    `Inkgraph ${version} against MongoDB ${deployment.version} (${deployment.kind}), ${search}. Written by \`npm run conformance\`.`,
    '',
    `**${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped.**`,
    '',
    '| Suite | Passed | Failed | Skipped |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ file, passed, failed, skipped }) => `| ${file} | ${passed} | ${failed} | ${skipped} |`),
    ...notes.flatMap((note) => ['', note]),
    ...topologyLines(topology, (message) => publicLine(message, deployment, root)),
    ...(failures.length === 0 ? [] : ['', '## Failures', '']),
    ...failures.map(({ test, message }) => `- ${test}: ${publicLine(message, deployment, root)}`),
  ];
  return {
    text: `${lines.join('\n')}\n`,
    passed: sum('passed'),
    failed: sum('failed') + (topology?.violations.length ?? 0),
  };
}
