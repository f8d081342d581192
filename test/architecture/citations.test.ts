import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requirements } from '#test/spec/requirements.ts';
import {
  codeCitationFaults,
  isMarkdown,
  markdownCitationFaults,
  markdownPathFaults,
  type Citable,
} from './citations.ts';

const root = resolve(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const citable: Citable = { files: new Set(files), statements: new Set(requirements.map(({ id }) => id)) };
const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') });

describe('citations', () => {
  test('comments cite decisions, files and statements that exist', () => {
    const code = files.filter(
      // Comments of generated files are the descriptions of contracts.
      (path) => /(?<!\.gen)\.(ts|tsx|js|cjs)$/.test(path) && path !== 'test/architecture/citations.test.ts',
    );
    expect(code.length).toBeGreaterThan(500);
    expect(code.flatMap((path) => codeCitationFaults(read(path), citable))).toEqual([]);
  });

  test('links in Markdown lead to files that exist', () => {
    const texts = files.filter(isMarkdown);
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.flatMap((path) => markdownCitationFaults(read(path), citable))).toEqual([]);
  });

  test('paths in Markdown exist, apart from those that a guide tells the reader to create', () => {
    const made = new Set(['graphs/nodes/word-count.ts', 'docs/reference/nodes/word_count.md']);
    const texts = files.filter((path) => isMarkdown(path) && !path.endsWith('CHANGELOG.md'));
    expect(texts.flatMap((path) => markdownPathFaults(read(path), citable, made))).toEqual([]);
  });

  test('the architecture page lists every decision record, and none has over 300 words', () => {
    const architecture = read('docs/architecture.md').text;
    const records = files.filter((path) => path.startsWith('docs/decisions/'));
    expect(records.filter((path) => !architecture.includes(`(${path.slice('docs/'.length)})`))).toEqual([]);
    const words = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;
    expect(records.filter((path) => words(read(path).text) > 300)).toEqual([]);
  });

  test('the README fits in 120 lines', () => {
    expect(read('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  test('a test names each file of examples/, or the folder that it runs', () => {
    const tests = files.filter((path) => path.startsWith('test/') && path.endsWith('.ts')).map(read);
    // Beside the examples' own tests, which start them by name, a test has to name the folder too: names such as `experiment.json` are common.
    const isNamed = (name: string): boolean =>
      tests.some(({ path, text }) => text.includes(path.startsWith('test/examples/') ? name : `examples/${name}`));
    const examples = files.filter((path) => path.startsWith('examples/') && path !== 'examples/README.md');
    expect(examples.length).toBeGreaterThan(8);
    const names = examples.map((path) => path.split('/')[1] ?? '');
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe('the guard itself', () => {
  const small: Citable = {
    files: new Set(['docs/decisions/0001-one.md', 'docs/a.md', 'mcp/skills/x/SKILL.md']),
    statements: new Set(['flow.ack']),
  };
  const inCode = (text: string) => codeCitationFaults({ path: 'src/a.ts', text }, small);

  test('accepts what exists', () => {
    const text = '/** Source: `flow.ack`, docs/decisions/0001, RFC 9110 §1. See docs/a.md, https://x.example/b.md. */';
    expect(inCode(text)).toEqual([]);
    expect(
      markdownCitationFaults({ path: 'docs/a.md', text: '[x](decisions/0001-one.md#y) decision 0001' }, small),
    ).toEqual([]);
  });

  test('reports a decision, a file, a statement and a section that do not exist', () => {
    expect(inCode('const a = 1;\n// As decision 0002 says, and 0001.')).toEqual([
      'src/a.ts:2 cites decision 0002, which does not exist',
    ]);
    expect(inCode('/** Source: graphs.md "Checking". */')).toEqual([
      'src/a.ts:1 cites graphs.md, which is not in the repository',
    ]);
    expect(inCode('/** Source: `flow.nack`. */')).toEqual([
      'src/a.ts:1 cites flow.nack, which no row of test/spec has',
    ]);
    expect(inCode('/** Source: specification §4.2. */')).toEqual([
      'src/a.ts:1 cites a section of a specification that is not in the repository',
    ]);
    expect(
      markdownPathFaults({ path: 'a.md', text: '`docs/a.md`, `docs/b.md`, `mcp/skills/`' }, small, new Set()),
    ).toEqual(['a.md cites docs/b.md, which is not in the repository']);
    expect(markdownCitationFaults({ path: 'docs/a.md', text: '[x](../b.md)' }, small)).toEqual([
      'docs/a.md cites b.md, which is not in the repository',
    ]);
  });
});
