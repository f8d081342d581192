import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '#src/adapters/objects/s3/settings.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { freePorts } from '#scripts/topology/free-ports.ts';

/** A real S3-compatible service on this machine, in memory or a temporary folder, with an empty bucket. */
export interface S3Server extends AsyncDisposable {
  readonly settings: S3Settings;
}

type Credentials = NonNullable<S3Settings['credentials']>;
const secretAccessKey = 'inkgraph-secret-0123456789';
const cephCredentials: Credentials = { accessKeyId: 'AKIAINKGRAPH', secretAccessKey };
/** Swift's keys are an account and a user. */
const swiftCredentials: Credentials = { accessKeyId: 'test:tester', secretAccessKey };

/** Processes of one service. Disposing of them ends exactly those. */
class Processes {
  readonly #running: ChildProcess[] = [];

  start(file: string, args: readonly string[], cwd: string): void {
    this.#running.push(spawn(file, args, { cwd, stdio: 'ignore' }));
  }

  /** The service's own processes need no farewell: all they keep goes with their folder. */
  async end(): Promise<void> {
    const ends = this.#running
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      });
    await Promise.all(ends);
  }
}

async function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}: ${err}`);
  return out;
}

/** Waits until a condition of another program holds, which nothing announces. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('a server of this test did not get ready');
    await sleep(50);
  }
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Creates the bucket of a service. */
async function withBucket(port: number, credentials: Credentials): Promise<S3Settings> {
  const endpoint = `http://127.0.0.1:${port}`;
  const settings = {
    bucket: 'inkgraph-test',
    endpoint,
    publicUrl: null,
    region: 'us-east-1',
    forcePathStyle: true,
    signWriteOnce: true,
  };
  const client = new S3Client({ ...settings, credentials });
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }));
  client.destroy();
  return { ...settings, credentials };
}

/** Configuration of one monitor, one store in memory and a gateway. */
function cephConfiguration(folder: string, [gateway, v2, v1, ...more]: readonly number[]): string {
  const lines = (values: Record<string, string | number>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('');
  return `[global]\n${lines({
    fsid: randomUUID(),
    'mon initial members': 'a',
    'mon host': `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`,
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    'auth cluster required': 'none',
    'auth service required': 'none',
    'auth client required': 'none',
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'osd pool default pg num': 1,
    'osd pool default pg autoscale mode': 'off',
    'osd crush chooseleaf type': 0,
    'osd objectstore': 'memstore',
    'memstore device bytes': 2 ** 30,
    'mon allow pool size one': 'true',
    'mon data': join(folder, 'mon'),
    'osd data': join(folder, 'osd'),
    'log file': join(folder, 'log', '$name.log'),
    'run dir': join(folder, 'run'),
    'admin socket': join(folder, 'run', '$name.asok'),
    'mon osd nearfull ratio': 0.97,
    'mon osd backfillfull ratio': 0.98,
    'mon osd full ratio': 0.99,
    'mon data avail warn': 2,
    'mon data avail crit': 1,
    'ms bind port min': Math.min(...more),
    'ms bind port max': Math.max(...more),
  })}\n[client.admin]\n${lines({
    'rgw frontends': `beast endpoint=127.0.0.1:${gateway}`,
    // Without it the gateway asks for a secure connection that nobody grants, for five minutes.
    'ms mon client mode': 'crc secure',
    'auth client required': 'none',
    'rgw data': join(folder, 'rgw'),
    'rgw enable usage log': 'false',
  })}`;
}

/** Starts the RADOS gateway of Ceph: it refuses to replace objects when asked to, and ignores the condition of a copy. */
export async function startCeph(): Promise<S3Server> {
  const { path: folder, remove } = await temporaryFolder();
  const processes = new Processes();
  try {
    const ports = await freePorts(20);
    const [gateway = 0, v2 = 0] = ports;
    for (const name of ['mon', 'osd', 'rgw', 'log', 'run']) await mkdir(join(folder, name));
    const file = join(folder, 'ceph.conf');
    const configuration = cephConfiguration(folder, ports);
    await writeFile(file, configuration);
    const fsid = /fsid = (\S+)/.exec(configuration)?.[1] ?? '';
    const monmap = join(folder, 'monmap');
    const members = /mon host = (\S+)/.exec(configuration)?.[1] ?? '';
    await run('monmaptool', ['--create', '--addv', 'a', members, '--fsid', fsid, monmap], folder);
    await run('ceph-mon', ['-c', file, '--mkfs', '-i', 'a', '--monmap', monmap], folder);
    processes.start('ceph-mon', ['-c', file, '-f', '-i', 'a'], folder);
    await until(() => isOpen(v2));
    const osd = randomUUID();
    await run('ceph', ['-c', file, 'osd', 'new', osd, '0'], folder);
    await run('ceph-osd', ['-c', file, '-i', '0', '--mkfs', '--osd-uuid', osd], folder);
    processes.start('ceph-osd', ['-c', file, '-f', '-i', '0'], folder);
    await until(async () => (await run('ceph', ['-c', file, 'osd', 'stat'], folder)).includes('1 up'));
    processes.start('radosgw', ['-c', file, '-n', 'client.admin', '-f'], folder);
    await until(() => isOpen(gateway));
    const keys = ['--access-key', cephCredentials.accessKeyId, '--secret-key', secretAccessKey];
    await run(
      'radosgw-admin',
      ['-c', file, 'user', 'create', '--uid', 'ink', '--display-name', 'ink', ...keys],
      folder,
    );
    const settings = await withBucket(gateway, cephCredentials);
    return { settings, [Symbol.asyncDispose]: () => processes.end().then(remove) };
  } catch (error) {
    await processes.end();
    await remove();
    throw error;
  }
}

const section = (name: string, lines: readonly string[]): string => `[${name}]\n${lines.join('\n')}\n`;

/** Starts Swift with its S3 interface: it checks the condition of a copy, and knows none for writes, no rules and no batches. */
export async function startSwift(): Promise<S3Server> {
  const { path: folder, remove } = await temporaryFolder();
  const processes = new Processes();
  const user = userInfo().username;
  try {
    const [proxy = 0, account = 0, container = 0, object = 0, cache = 0] = await freePorts(5);
    const servers = { account, container, object };
    await mkdir(join(folder, 'srv', 'd1'), { recursive: true });
    await writeFile(
      join(folder, 'swift.conf'),
      section('swift-hash', ['swift_hash_path_prefix = ink', 'swift_hash_path_suffix = ink']) +
        section('storage-policy:0', ['name = one', 'default = yes']),
    );
    for (const [name, port] of Object.entries(servers)) {
      const common = ['bind_ip = 127.0.0.1', `bind_port = ${port}`, `user = ${user}`, `swift_dir = ${folder}`];
      const store = [`devices = ${join(folder, 'srv')}`, 'mount_check = false', 'workers = 0', 'log_level = WARNING'];
      await writeFile(
        join(folder, `${name}.conf`),
        section('DEFAULT', [...common, ...store]) +
          section('pipeline:main', [`pipeline = ${name}-server`]) +
          section(`app:${name}-server`, [`use = egg:swift#${name}`]) +
          ['replicator', 'updater', 'auditor'].map((job) => section(`${name}-${job}`, [])).join(''),
      );
      const ring = `${name}.builder`;
      await run('swift-ring-builder', [ring, 'create', '1', '1', '1'], folder);
      await run('swift-ring-builder', [ring, 'add', `r1z1-127.0.0.1:${port}/d1`, '1'], folder);
      await run('swift-ring-builder', [ring, 'rebalance'], folder);
    }
    await writeFile(join(folder, 'proxy.conf'), swiftProxy({ folder, user, port: proxy, cache }));
    processes.start('memcached', ['-u', user, '-l', '127.0.0.1', '-p', String(cache), '-m', '16'], folder);
    for (const name of [...Object.keys(servers), 'proxy'])
      processes.start(`swift-${name}-server`, [join(folder, `${name}.conf`)], folder);
    for (const port of [account, container, object, cache, proxy]) await until(() => isOpen(port));
    const settings = await withBucket(proxy, swiftCredentials);
    return { settings, [Symbol.asyncDispose]: () => processes.end().then(remove) };
  } catch (error) {
    await processes.end();
    await remove();
    throw error;
  }
}

function swiftProxy(of: { folder: string; user: string; port: number; cache: number }): string {
  const filters: Readonly<Record<string, readonly string[]>> = {
    catch_errors: [],
    'proxy-logging': ['use = egg:swift#proxy_logging'],
    cache: ['use = egg:swift#memcache', `memcache_servers = 127.0.0.1:${of.cache}`],
    s3api: ['s3_acl = false', 'location = us-east-1'],
    tempauth: [`user_test_tester = ${secretAccessKey} .admin`],
    copy: [],
    slo: [],
    dlo: [],
  };
  const line = `pipeline = catch_errors proxy-logging cache s3api tempauth copy slo dlo proxy-logging proxy-server`;
  return (
    section('DEFAULT', [
      'bind_ip = 127.0.0.1',
      `bind_port = ${of.port}`,
      `user = ${of.user}`,
      `swift_dir = ${of.folder}`,
      'workers = 0',
      'log_level = WARNING',
    ]) +
    section('pipeline:main', [line]) +
    section('app:proxy-server', [
      'use = egg:swift#proxy',
      'account_autocreate = true',
      'allow_account_management = true',
    ]) +
    Object.entries(filters)
      .map(([name, lines]) =>
        section(
          `filter:${name}`,
          lines.some((one) => one.startsWith('use =')) ? lines : [`use = egg:swift#${name}`, ...lines],
        ),
      )
      .join('')
  );
}
