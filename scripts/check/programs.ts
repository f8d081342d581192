import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';

/** A program that some tests use and npm does not bring. */
export interface OutsideProgram {
  readonly name: string;
  /** Note of a test that was skipped because this machine does not have it. */
  readonly missing: string;
  /** Kind of these tests, for the last line of a run. */
  readonly tests: string;
  /** Variable with the path of the program. */
  readonly variable: string;
  /** Names to look for on the path. */
  readonly names: readonly string[];
  /** The way to get it, for the person at this machine. */
  readonly advice: string;
  /** Its tests fail without it, also where `CI` is not set: nearly every machine has it. */
  readonly isNeeded?: true;
}

export const chromium: OutsideProgram = {
  name: 'Chromium',
  missing: 'no Chromium',
  tests: 'browser',
  variable: 'CHROMIUM',
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  advice: 'Run `apt-get install chromium`, or set CHROMIUM to the path of one.',
};

export const redisServer: OutsideProgram = {
  name: 'Redis server',
  missing: 'no Redis server',
  tests: 'Redis',
  variable: 'REDIS_SERVER',
  names: ['redis-server'],
  advice: 'Run `apt-get install redis-server`, or set REDIS_SERVER to the path of one.',
};

export const radosGateway: OutsideProgram = {
  name: 'Ceph',
  missing: 'no Ceph',
  tests: 'S3 on Ceph',
  variable: 'RADOSGW',
  names: ['radosgw'],
  advice: 'Run `apt-get install ceph-mon ceph-osd radosgw ceph-common ceph-base`.',
};

export const swiftProxy: OutsideProgram = {
  name: 'Swift',
  missing: 'no Swift',
  tests: 'S3 on Swift',
  variable: 'SWIFT_PROXY_SERVER',
  names: ['swift-proxy-server'],
  advice: 'Run `apt-get install swift swift-proxy swift-account swift-container swift-object memcached`.',
};

export const dockerCompose: OutsideProgram = {
  name: 'docker-compose',
  missing: 'no docker-compose',
  tests: 'Compose file',
  variable: 'DOCKER_COMPOSE',
  names: ['docker-compose'],
  advice: 'Run `apt-get install docker-compose`, or set DOCKER_COMPOSE to the path of one.',
};

export const bubblewrap: OutsideProgram = {
  name: 'bubblewrap',
  missing: 'no bubblewrap',
  tests: 'container image',
  variable: 'BWRAP',
  names: ['bwrap'],
  advice: 'Run `apt-get install bubblewrap`, or set BWRAP to the path of one.',
};

export const python: OutsideProgram = {
  name: 'Python',
  missing: 'no Python',
  tests: 'Python example',
  variable: 'PYTHON',
  names: ['python3'],
  advice: 'Run `apt-get install python3`, or set PYTHON to the path of one.',
};

export const nginx: OutsideProgram = {
  name: 'nginx',
  missing: 'no nginx',
  tests: 'reverse proxy',
  variable: 'NGINX',
  names: ['nginx'],
  advice: 'Run `apt-get install nginx`, or set NGINX to the path of one.',
};

const curl: OutsideProgram = {
  name: 'curl',
  missing: 'no curl',
  tests: 'guide and example',
  variable: 'CURL',
  names: ['curl'],
  advice: 'Run `apt-get install curl`.',
  isNeeded: true,
};

const git: OutsideProgram = {
  name: 'git',
  missing: 'no git',
  tests: 'architecture',
  variable: 'GIT',
  names: ['git'],
  advice: 'Run `apt-get install git`, and clone the repository with it.',
  isNeeded: true,
};

/** Every program that tests need beside Node. */
export const outsidePrograms: readonly OutsideProgram[] = [
  chromium,
  redisServer,
  radosGateway,
  swiftProxy,
  dockerCompose,
  bubblewrap,
  python,
  nginx,
  curl,
  git,
];

/** Path of a program: its variable, or a place on the path; null where there is none. */
export function findProgram({ variable, names }: OutsideProgram): string | null {
  const named = env[variable] ?? '';
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (named === '' ? places : [named]).find((path) => existsSync(path)) ?? null;
}

/** False where a missing program fails its tests: with `CI` set, nothing may be left out. */
export function mayMissPrograms(): boolean {
  return (env['CI'] ?? '') === '';
}

/** A line for the person at a machine without the program. */
export function missingLine({ name, tests, advice, isNeeded }: OutsideProgram): string {
  const then = isNeeded === true ? 'fail' : mayMissPrograms() ? 'are skipped' : 'fail, since CI is set';
  return `This machine has no ${name}: ${tests} tests ${then}. ${advice}\n`;
}
