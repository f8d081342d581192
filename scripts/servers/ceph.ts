import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOpen, Processes, run, withBucket, type Credentials, type S3Server } from '#scripts/servers/local-service.ts';
import { freePorts } from '#scripts/servers/free-ports.ts';

const credentials: Credentials = { accessKeyId: 'AKIAINKGRAPH', secretAccessKey: 'inkgraph-secret-0123456789' };

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
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
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
    await processes.until(() => isOpen(v2));
    const osd = randomUUID();
    await run('ceph', ['-c', file, 'osd', 'new', osd, '0'], folder);
    await run('ceph-osd', ['-c', file, '-i', '0', '--mkfs', '--osd-uuid', osd], folder);
    processes.start('ceph-osd', ['-c', file, '-f', '-i', '0'], folder);
    // Its log says so: each question by `ceph` would load Python.
    const log = join(folder, 'log', 'osd.0.log');
    await processes.until(async () => (await readFile(log, 'utf8')).includes('state: booting -> active'));
    processes.start('radosgw', ['-c', file, '-n', 'client.admin', '-f'], folder);
    await processes.until(() => isOpen(gateway));
    const keys = ['--access-key', credentials.accessKeyId, '--secret-key', credentials.secretAccessKey];
    await run(
      'radosgw-admin',
      ['-c', file, 'user', 'create', '--uid', 'ink', '--display-name', 'ink', ...keys],
      folder,
    );
    const settings = await withBucket(gateway, credentials);
    return { settings, [Symbol.asyncDispose]: () => processes.end().then(remove) };
  } catch (error) {
    await processes.end();
    await remove();
    throw error;
  }
}
