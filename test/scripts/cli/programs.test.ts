import { afterEach, expect, test, vi } from 'vitest';
import { findProgram, missingLine, outsidePrograms } from '#scripts/check/programs.ts';

afterEach(() => vi.unstubAllEnvs());

test('npm test names each program that a machine may lack, what becomes of its tests, and the way to get it', () => {
  expect(outsidePrograms.flatMap(({ names: [first] }) => first)).toEqual([
    'chromium',
    'redis-server',
    'radosgw',
    'swift-proxy-server',
    'docker-compose',
    'bwrap',
    'python3',
    'nginx',
    'curl',
    'git',
  ]);
  for (const program of outsidePrograms) {
    const outcome = (ci: string): string => {
      vi.stubEnv('CI', ci);
      return missingLine(program);
    };
    const start = `This machine has no ${program.name}: ${program.tests} tests`;
    const skipped = program.isNeeded === true ? 'fail' : 'are skipped';
    expect(outcome('')).toBe(`${start} ${skipped}. ${program.advice}\n`);
    expect(outcome('1')).toMatch(new RegExp(`^${start} fail[^\\n]*apt-get install [^\\n]*\\n$`));
  }
});

test('a variable with the path of a program that is not there counts as missing', () => {
  const [first] = outsidePrograms;
  vi.stubEnv('CHROMIUM', '/nowhere/chromium');
  expect(first && findProgram(first)).toBeNull();
});
