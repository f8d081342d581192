import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findProgram, swiftProxy as proxyServer } from '#scripts/check/programs.ts';
import { isOpen, Processes, run, withBucket, type Credentials, type S3Server } from '#scripts/servers/local-service.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { freePorts } from '#scripts/servers/free-ports.ts';

const secretAccessKey = 'inkgraph-secret-0123456789';
/** Swift's keys are an account and a user. */
const swiftCredentials: Credentials = { accessKeyId: 'test:tester', secretAccessKey };

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
    }
    await writeRings(folder, servers);
    await writeFile(join(folder, 'proxy.conf'), swiftProxy({ folder, user, port: proxy, cache }));
    processes.start('memcached', ['-u', user, '-l', '127.0.0.1', '-p', String(cache), '-m', '16'], folder);
    for (const name of [...Object.keys(servers), 'proxy'])
      processes.start(`swift-${name}-server`, [join(folder, `${name}.conf`)], folder);
    for (const port of [account, container, object, cache, proxy]) await processes.until(() => isOpen(port));
    const settings = await withBucket(proxy, swiftCredentials);
    return { settings, [Symbol.asyncDispose]: () => processes.end().then(remove) };
  } catch (error) {
    await processes.end();
    await remove();
    throw error;
  }
}

/** One device in each ring. `swift-ring-builder` would be a process for each step of each ring: nine that load Python and Swift. */
const ringProgram = `
import sys
from swift.common.ring import RingBuilder
for name, port in zip(sys.argv[1::2], sys.argv[2::2]):
    builder = RingBuilder(1, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1.0,
                     'replication_ip': '127.0.0.1', 'replication_port': int(port), 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(name + '.ring.gz')
`;

async function writeRings(folder: string, ports: Readonly<Record<string, number>>): Promise<void> {
  // The Python that has Swift is the one of its own programs.
  const program = findProgram(proxyServer) ?? 'swift-proxy-server';
  const interpreter = /^#! *(?:\S*\/env +)?(\S+)/.exec(await readFile(program, 'utf8'))?.[1] ?? 'python3';
  await run(
    interpreter,
    ['-c', ringProgram, ...Object.entries(ports).flatMap(([name, port]) => [name, String(port)])],
    folder,
  );
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
      // There is one store: it is waited for on a busy machine, and never left out for a minute because it was slow.
      'conn_timeout = 10',
      'error_suppression_limit = 1000000',
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
