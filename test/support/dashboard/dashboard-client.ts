import type { Answer, TestApp } from '#test/support/test-app.ts';

export const documentsPath = '/api/dashboard/documents';

/** The dashboard as one person uses it. */
export interface DashboardClient {
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** Presign and PUT: the object key, ready to be acknowledged. */
  put(bytes: Buffer, contentType: string, projectId?: string): Promise<string>;
  ack(objectKey: string): Promise<Answer>;
  /** The two and ack: the document. */
  upload(bytes: Buffer, contentType: string, projectId?: string): Promise<any>;
}

/** With the session of this person; of the seeded operator, an owner, where nobody is named. */
export async function dashboardClient(
  app: TestApp,
  person?: { cookie: string } | { email: string; password: string },
): Promise<DashboardClient> {
  const cookie = person !== undefined && 'cookie' in person ? person.cookie : await app.signIn(person);
  const get = (path: string) => app.call('GET', path, { cookie });
  const post = (path: string, body: unknown = {}) => app.call('POST', path, { cookie, body });
  const ack = (objectKey: string) => post(`${documentsPath}/uploads/ack`, { objectKey });
  const put = async (bytes: Buffer, contentType: string, projectId = app.seed.projectId): Promise<string> => {
    const asked = { projectId, contentType, size: bytes.length };
    const { status, body } = await post(`${documentsPath}/uploads/presign`, asked);
    if (status !== 200) throw new Error(`presign answered ${status}: ${JSON.stringify(body)}`);
    const stored = await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
    if (stored.status !== 200) throw new Error(`PUT answered ${stored.status}: ${await stored.text()}`);
    return body.objectKey as string;
  };
  return {
    cookie,
    get,
    post,
    put,
    ack,
    async upload(bytes, contentType, projectId) {
      const { status, body } = await ack(await put(bytes, contentType, projectId));
      if (status !== 201) throw new Error(`ack answered ${status}: ${JSON.stringify(body)}`);
      return body.document;
    },
  };
}
