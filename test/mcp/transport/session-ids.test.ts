import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SessionHolder } from '#http/mcp/session-holder.ts';
import { SessionIds } from '#http/mcp/session-ids.ts';

const ids = new SessionIds(createSecretKey(randomBytes(32)));
const names = (kind: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${kind}_${at}`);
const holderOf = (projects: number, scopes = 3): SessionHolder => ({
  name: 'org_1\nusr_1\nclient_1',
  organizationId: 'org_1',
  projectIds: names('prj', projects),
  scopes: new Set(names('scope', scopes)),
});
const hello = { protocolVersion: '2025-11-25', capabilities: {} };

describe('a session id', () => {
  it('is a short header of visible characters, whatever its client declares and its holder may do', () => {
    const large = { experimental: { x: 'x'.repeat(100_000) }, elicitation: { form: { x: 1 }, url: {} } };
    const { id } = ids.issue(holderOf(64, 64), {
      protocolVersion: `2025-11-25\r\n${'9'.repeat(500)}`,
      capabilities: large,
    });
    expect(id).toMatch(/^[\w-]{1,750}$/);
    expect(ids.issue(holderOf(5_000), hello).id).toMatch(/^[\w-]{1,200}$/);
  });

  it.each([
    [{}, {}],
    [{ sampling: {}, roots: { listChanged: true } }, {}],
    [{ elicitation: {} }, { elicitation: {} }],
    [{ elicitation: { form: { applyDefaults: true } } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
    [{ elicitation: 'yes' }, {}],
  ])('says of the capabilities %j what the server reads', (capabilities, read) => {
    const { id } = ids.issue(holderOf(1), { ...hello, capabilities });
    expect(ids.open(id, holderOf(1))?.hello).toEqual({ protocolVersion: '2025-11-25', capabilities: read });
  });

  it.each([
    [1, 1, true],
    [1, 2, true],
    [2, 1, false],
    [64, 65, true],
    [64, 63, false],
    [65, 65, true],
    // The id knows so many projects only all together.
    [65, 66, false],
    [65, 64, false],
    [0, 1, true],
  ])('of %i projects opens for its holder with %i of them: %s', (before, now, opens) => {
    expect(ids.open(ids.issue(holderOf(before), hello).id, holderOf(now)) !== null).toBe(opens);
  });

  it('differs for each session', () => {
    const made = Array.from({ length: 50 }, () => ids.issue(holderOf(1), hello));
    expect(new Set(made.map(({ id }) => id)).size).toBe(50);
    expect(new Set(made.map(({ name }) => name)).size).toBe(50);
  });
});
