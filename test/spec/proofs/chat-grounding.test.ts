import { afterAll, describe, expect } from 'vitest';
import { SourceCard } from '#src/contracts/resources/chat.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { tools } from '#tools/index.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { verifies } from '#test/support/verifies.ts';
import { startChatApp, type Asked } from '#test/tools/chat/support/chat-app.ts';
import { storeText } from '#test/tools/chat/support/stored-text.ts';

const app = await startChatApp(['note']);
afterAll(() => app[Symbol.asyncDispose]());
const otherProject = await addNeighbour(app, 'project');
const otherOrganization = await addNeighbour(app, 'organization');
const [key] = await app.app.deps.apiKeys.list(app.seed.organizationId);
if (key === undefined) throw new Error('the seed has no key');

const here = await storeText(app, { text: 'The marmot sleeps in burrow 17.' });
const byKey = await storeText(app, { text: 'A marmot was seen at the weather station.', apiKeyId: key._id });
const there = await storeText(app, { text: 'Marmot count of the valley: 42.', projectId: otherProject.projectId });
const open = await storeText(app, {
  text: 'Marmot poster for the school.',
  projectId: otherProject.projectId,
  visibility: 'public',
});
const foreign = await storeText(app, {
  text: 'The marmot of the neighbours.',
  organizationId: otherOrganization.organizationId,
  projectId: otherOrganization.projectId,
  visibility: 'public',
});
const all = [here, byKey, there, open].toSorted();

async function foundIn(scope: Asked = {}, principal?: Principal): Promise<string[]> {
  const asked = { messages: [{ role: 'user' as const, text: 'What about the marmot?' }], ...scope };
  const { result } = await app.ask(asked, principal && { principal });
  return result.sources.map(({ documentId }) => documentId).toSorted();
}

describe('what an answer may rest on', () => {
  verifies('chat.default_scope', async () => {
    expect(await foundIn()).toEqual(all);
  });

  verifies('chat.project_ids', async () => {
    expect(await foundIn({ projectIds: [app.seed.projectId] })).toEqual([here, byKey].toSorted());
    // A public document elsewhere in the organization does not belong to the project that was named.
    expect(await foundIn({ projectIds: [otherProject.projectId] })).toEqual([there, open].toSorted());
  });

  verifies('chat.api_key_ids', async () => {
    expect(await foundIn({ apiKeyIds: [key._id] })).toEqual([byKey]);
  });

  verifies('chat.document_ids', async () => {
    expect(await foundIn({ documentIds: [there, here] })).toEqual([here, there].toSorted());
    expect(await foundIn({ documentIds: [there], projectIds: [app.seed.projectId] })).toEqual([]);
  });

  verifies('auth.session.chat_scope', async () => {
    const { addresses, seed } = app;
    const cookie = await app.signIn();
    const { userId } = (await app.principal(cookie)).session ?? {};
    if (userId === undefined) throw new Error('nobody is signed in');
    await app.app.deps.members.add({ organizationId: otherOrganization.organizationId, userId, role: 'viewer' });
    const active = async (organizationId: string): Promise<string[]> => {
      const chosen = await app.call('POST', '/api/auth/organization/set-active', {
        cookie,
        body: { organizationId },
        headers: { origin: new URL(addresses.api).origin },
      });
      expect(chosen.status, JSON.stringify(chosen.body)).toBe(200);
      const answer = await app.call('POST', '/api/dashboard/documents/chat', {
        cookie,
        body: { messages: [{ role: 'user', content: 'What about the marmot?' }] },
      });
      const frame = (answer.body as string).split('\n').find((line) => line.includes('"data-assistant_sources"'));
      const { sources } = JSON.parse(frame?.slice('data: '.length) ?? '{}').data;
      return SourceCard.array()
        .parse(sources)
        .map(({ documentId }) => documentId)
        .toSorted();
    };
    expect(await active(otherOrganization.organizationId)).toEqual([foreign]);
    expect(await active(seed.organizationId)).toEqual(all);
  });
});

describe('what an answer rests on', () => {
  verifies('chat.grounded.ocr', async () => {
    const { result } = await app.ask('When can the atlas be collected?');
    const [source] = result.sources;
    expect(source?.documentId).toBe(app.scan.note);
    const excerpt = source?.excerpts.find(({ field }) => field === 'ocr');
    const [stored] = await app.app.deps.results.listOcr(app.seed.organizationId, app.scan.note, 1);
    expect(excerpt).toMatchObject({ resultId: stored?.ocrResultId, page: 0, verified: true });
    expect(stored?.text.slice(excerpt?.start, excerpt?.end)).toBe(excerpt?.text);
    const [x, y, width, height] = excerpt?.bbox ?? [0, 0, 0, 0];
    for (const value of [x, y, width, height, x + width, y + height]) expect(value > 0 && value <= 1).toBe(true);
    expect(result.answerText).toContain('can be collected on Thursday');
    expect(result.cited).toEqual([1]);
  });

  verifies('chat.grounded.description', async () => {
    const description = 'A pencil drawing of a lighthouse keeper, unsigned.';
    const id = await storeText(app, { title: 'Lighthouse', description });
    const { result } = await app.ask('Is the drawing of the lighthouse keeper signed?');
    expect(result.sources.map(({ documentId }) => documentId)).toEqual([id]);
    const [excerpt] = result.sources[0]?.excerpts ?? [];
    expect(excerpt).toMatchObject({ field: 'description', text: description, start: 0, verified: true });
    expect(await app.app.deps.results.descriptionById(app.seed.organizationId, excerpt?.resultId ?? '')).toMatchObject({
      value: { description },
    });
    expect(result.answerText).toContain(`"${description}" [1]`);
  });

  verifies('chat.grounded.segmentation', async () => {
    const segments = [{ label: 'stamp' }, { label: 'stamp', text: 'Harbour customs Trondheim' }];
    const id = await storeText(app, { text: 'Bill of lading', segmentation: { prompt: 'stamps', segments } });
    const { result } = await app.ask('Which customs harbour stamped it?');
    expect(result.sources.map(({ documentId }) => documentId)).toEqual([id]);
    const excerpt = result.sources[0]?.excerpts.find(({ field }) => field === 'segmentation');
    expect(excerpt).toMatchObject({ page: 0, verified: true });
    expect(excerpt?.text.split('\n')).toEqual(['stamps', 'stamp', 'Harbour customs Trondheim']);
    expect(excerpt?.resultId).toMatch(/^seg_/);
    expect(excerpt?.bbox?.map((value) => Math.round(value * 100) / 100)).toEqual([0, 0.2, 0.2, 0.1]);
    expect(result.answerText).toContain('"Harbour customs Trondheim" [1]');
  });

  verifies('chat.sources.card', async () => {
    const { result } = await app.ask('When can the atlas be collected?');
    const document = await app.run(tools.getDocument, { documentId: app.scan.note });
    const [card] = result.sources;
    const { id, projectId, objectKey, contentType, createdAt, title, description } = document;
    expect(card).toMatchObject({
      index: 1,
      documentId: id,
      projectId,
      objectKey,
      contentType,
      createdAt,
      title,
      description,
    });
    expect(card?.excerpts.length).toBeGreaterThan(0);
    expect(card?.score).toBeGreaterThan(0);
    const thumbnail = await fetch(card?.thumbnailUrl ?? '');
    expect(thumbnail.headers.get('content-type')).toBe('image/webp');
  });
});
