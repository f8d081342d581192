import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate as Deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as ConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap';
import { validate as Secret } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Secret';
import { validate as Service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as PodDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parse } from 'yaml';
import { dockerCompose, findProgram, mayMissPrograms } from '#scripts/check/programs.ts';
import { env as variables, readEnv } from '#src/config/env.ts';
import { startTestApp } from '#test/support/test-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'deploy/kubernetes');
const kinds = { ConfigMap, Deployment, PodDisruptionBudget, Secret, Service };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: keyof typeof kinds;
  readonly metadata: { readonly name: string };
  readonly [key: string]: any;
}

async function manifests(): Promise<readonly Manifest[]> {
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** Wraps a value so that `read` gets the path of each member that is looked at. */
function watched(value: unknown, path: string, read: (path: string) => void): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return member;
      read(`${path}/${key}`);
      return watched(member, `${path}/${key}`, read);
    },
  });
}

function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [`${path}/${key}`, ...pathsOf(member, `${path}/${key}`)]);
}

/** Paths of a manifest that the schema of its kind does not know: its validator never looks at them. Throws what the schema refuses. */
function unknownPaths(manifest: Manifest): readonly string[] {
  const seen = new Set<string>();
  const validate: ((value: unknown) => boolean) & { errors?: unknown } = kinds[manifest.kind];
  if (!validate(watched(manifest, '', (path) => seen.add(path)))) throw new Error(JSON.stringify(validate.errors));
  return pathsOf(manifest).filter((path) => !seen.has(path));
}

describe('The manifests for Kubernetes', () => {
  test('have the form that their kinds have, and no member that these do not know', async () => {
    const all = await manifests();
    expect(all.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      ...Array.from({ length: 3 }, () => 'Deployment'),
      ...Array.from({ length: 3 }, () => 'PodDisruptionBudget'),
      'Secret',
      ...Array.from({ length: 3 }, () => 'Service'),
    ]);
    for (const manifest of all) expect(unknownPaths(manifest)).toEqual([]);
    const deployment = all.find(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('no deployment');
    const misspelt = structuredClone(deployment);
    misspelt['spec'].template.spec.containers[0].readinessProb = {};
    expect(unknownPaths(misspelt)).toEqual(['/spec/template/spec/containers/0/readinessProb']);
    misspelt['spec'].replicas = '2';
    expect(() => unknownPaths(misspelt)).toThrow('replicas');
  });

  test('set variables that there are, to values that are accepted', async () => {
    const all = await manifests();
    const data: Record<string, string> = {};
    for (const { kind, ...rest } of all)
      if (kind === 'ConfigMap' || kind === 'Secret') Object.assign(data, rest['data'], rest['stringData']);
    for (const name of Object.keys(data)) expect(Object.keys(variables)).toContain(name);
    const secrets = Object.entries(variables).filter(([, row]) => 'secret' in row && row.secret);
    const config = all.find(({ kind }) => kind === 'ConfigMap');
    for (const [name] of secrets) expect(Object.keys(config?.['data'] ?? {})).not.toContain(name);
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(() => readEnv({ ...data, SECRETS_KEY: key, INSTALLATION_SECRET: key })).not.toThrow();
  });

  test('probe paths that are answered, on the port of their service, and select what they deploy', async () => {
    await using app = await startTestApp();
    const all = await manifests();
    for (const manifest of all.filter(({ kind }) => kind === 'Deployment')) {
      const { template, selector } = manifest['spec'];
      const [container] = template.spec.containers;
      const service = String(container.name).toUpperCase();
      // The platform kills later than a stop may end: DRAIN_SECONDS, and 8 s more.
      const drain = Number(all.find(({ kind }) => kind === 'ConfigMap')?.['data'].DRAIN_SECONDS);
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 8);
      expect(container.env).toEqual([{ name: 'SERVICES', value: container.name }]);
      expect(readEnv({ SERVICES: container.name })).toMatchObject({ SERVICES: [container.name] });
      const port = variables[`${service}_PORT` as 'API_PORT'].schema.parse(undefined);
      expect(container.ports).toEqual([{ name: 'http', containerPort: port }]);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect((await app.call('GET', container[probe].httpGet.path)).status).toBe(200);
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const others = all.filter(
        ({ kind, metadata }) => kind !== 'Deployment' && metadata.name === manifest.metadata.name,
      );
      for (const { spec } of others) expect(spec.selector.matchLabels ?? spec.selector).toEqual(selector.matchLabels);
    }
  });
});

describe('The compose file', () => {
  const text = (): Promise<string> => readFile(join(root, 'compose.yaml'), 'utf8');

  test('sets variables that there are, and names services and volumes that it has', async () => {
    const { services, volumes } = parse(await text(), { merge: true });
    const ours = ['api', 'mcp', 'agents'];
    for (const name of ours) {
      const { environment, volumes: mounts = [], depends_on: needs, ports = [] } = services[name];
      expect(environment.SERVICES).toBe(name);
      for (const variable of Object.keys(environment)) expect(Object.keys(variables)).toContain(variable);
      for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
      for (const need of needs) expect(Object.keys(services)).toContain(need);
      const port = variables[`${name.toUpperCase()}_PORT` as 'API_PORT'].schema.parse(undefined);
      for (const one of ports) expect(one).toBe(`127.0.0.1:${String(port)}:${String(port)}`);
    }
  });

  const compose = findProgram(dockerCompose);
  test('is accepted by docker-compose', ({ skip }) => {
    skip(compose === null && mayMissPrograms(), dockerCompose.missing);
    const secrets = ['DATABASE_PASSWORD', 'S3_SECRET_ACCESS_KEY', 'INSTALLATION_SECRET', 'SECRETS_KEY'];
    const env = { PATH: process.env['PATH'], ...Object.fromEntries(secrets.map((name) => [name, 'x'])) };
    const accepted = spawnSync(compose ?? '', ['-f', 'compose.yaml', 'config', '-q'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect(accepted.stderr).toBe('');
    expect(accepted.status).toBe(0);
    const bare = spawnSync(compose ?? '', ['-f', 'compose.yaml', 'config', '-q'], {
      cwd: root,
      env: { PATH: env.PATH },
      encoding: 'utf8',
    });
    expect(bare.stderr).toMatch(/set [A-Z_]+ in .env/);
  });
});
