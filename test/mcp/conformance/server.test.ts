import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skillsPart } from '#mcp/product.ts';
import { required20251125, required20260728, skills, sum, tasks } from '#test/conformance/mcp-expected.ts';
import { fixtureCatalog } from '#test/conformance/mcp-fixtures/catalog.ts';
import { referee, type Verdict } from '#test/conformance/mcp-referee.ts';
import { serveCatalog, type FixtureServer } from '#test/conformance/mcp-server.ts';
import { post } from '#test/mcp/raw.ts';

// No skill of the product has a folder within, which is what this one reads.
const { 'sep-2640-skills-directory': _, ...withoutFolders } = skills;

/** Each scenario in a process: the suite has no set of those of this extension. */
async function skillsOf(url: string, scenarios: readonly string[]): Promise<Verdict> {
  let all: Verdict = { exitCode: 0, passed: {}, others: [] };
  for (const scenario of scenarios) {
    const { exitCode, passed, others } = await referee(['server', '--url', url, '--scenario', scenario]);
    all = {
      exitCode: all.exitCode + exitCode,
      passed: { ...all.passed, ...passed },
      others: [...all.others, ...others],
    };
  }
  return all;
}

// Other processes answer: a busy machine may take its time.
describe('the official conformance suite', { timeout: 60_000 }, () => {
  let fixtures: FixtureServer;
  let product: FixtureServer;
  let modern: Promise<Verdict>;
  let legacy: Promise<Verdict>;
  let fixtureSkills: Promise<Verdict>;
  let productSkills: Promise<Verdict>;

  // Two processes at a time, whatever the order of the tests.
  beforeAll(async () => {
    fixtures = await serveCatalog(await fixtureCatalog());
    product = await serveCatalog({ tools: [], parts: [await skillsPart()], capabilities: {}, instructions: '' });
    modern = referee(['server', '--url', fixtures.url, '--requirements', '2026-07-28']);
    legacy = referee(['server', '--url', fixtures.url, '--requirements', '2025-11-25']);
    fixtureSkills = legacy.then(() => skillsOf(fixtures.url, Object.keys(skills)));
    productSkills = fixtureSkills.then(() => skillsOf(product.url, Object.keys(withoutFolders)));
  });

  afterAll(async () => {
    await Promise.allSettled([modern, legacy, fixtureSkills, productSkills]);
    await fixtures[Symbol.asyncDispose]();
    await product[Symbol.asyncDispose]();
  });

  it('passes every scenario that 2025-11-25 requires, with sessions, and the optional ones', async () => {
    const { exitCode, passed, others } = await legacy;
    expect(others).toEqual([]);
    expect(passed).toEqual(required20251125);
    expect({ exitCode, checks: sum(passed) }).toEqual({ exitCode: 0, checks: 84 });
  });

  it('passes every scenario that 2026-07-28 requires, and those of the Tasks extension', async () => {
    const { exitCode, passed, others } = await modern;
    expect(others).toEqual([expect.stringMatching(/^tasks-status-notifications .*: SKIPPED/)]);
    expect(passed).toEqual({ ...required20260728, ...tasks });
    expect({ exitCode, checks: sum(passed) }).toEqual({ exitCode: 0, checks: 196 });
  });

  it('passes every scenario of the Skills extension', async () => {
    const verdict = await fixtureSkills;
    expect(verdict).toEqual({ exitCode: 0, passed: skills, others: [] });
    expect(sum(verdict.passed)).toBe(45);
  });

  it('lists and serves the skills of the product as the Skills extension has it', async () => {
    expect(await productSkills).toEqual({ exitCode: 0, passed: withoutFolders, others: [] });
  });

  it.each([
    ['tools/list', null, 60_000],
    ['prompts/list', null, 300_000],
    ['resources/templates/list', null, 300_000],
    ['server/discover', null, 300_000],
    ['resources/list', null, 0],
    ['resources/read', 'test://static-text', 0],
  ])('%s is for its caller alone, and fresh for as long as nothing can change', async (method, uri, ttlMs) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { json } = await post(
      { url: new URL(fixtures.url) },
      { jsonrpc: '2.0', id: 1, method, params: uri === null ? { _meta } : { uri, _meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': uri },
    );
    expect(json['result']).toMatchObject({ ttlMs, cacheScope: 'private' });
  });
});
