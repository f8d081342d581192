import { describe, expect, test } from 'vitest';
import { destinationOf, isSecretHost, unboundSecret } from '#src/domain/access/secret-hosts.ts';

const goes = (line: string, url: string): boolean => {
  const to = destinationOf(url);
  if (to === null) throw new Error(`${url} has no destination`);
  return unboundSecret([{ name: 'TOKEN', hosts: [line] }], to) === null;
};

describe('A secret', () => {
  test.each([
    ['api.example.org', 'https://api.example.org/v1'],
    ['api.example.org', 'https://API.example.org:443/v1'],
    ['api.example.org:8443', 'https://api.example.org:8443?q'],
    ['*.example.org', 'https://eu.example.org'],
    ['*.example.org:8443', 'https://eu.example.org:8443/'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/'],
    ['[2606:4700::1111]', 'https://[2606:4700:0::1111]/'],
  ])('that is bound to %s goes to %s', (line, url) => {
    expect(isSecretHost(line)).toBe(true);
    expect(goes(line, url)).toBe(true);
  });

  test.each([
    ['api.example.org', 'https://evil.example/'],
    ['api.example.org', 'https://api.example.org.evil.example/'],
    ['api.example.org', 'https://x.api.example.org/'],
    ['api.example.org', 'https://example.org/'],
    ['api.example.org', 'https://api.example.org:8443/'],
    ['api.example.org', 'http://api.example.org/'],
    ['api.example.org', 'http://api.example.org:443/'],
    ['api.example.org:8443', 'https://api.example.org/'],
    ['*.example.org', 'https://example.org/'],
    ['*.example.org', 'https://a.b.example.org/'],
    ['*.example.org', 'https://evilexample.org/'],
    ['*.example.org', 'https://eu.example.org:8443/'],
    ['http://127.0.0.1:9000', 'https://127.0.0.1:9000/'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9001/'],
  ])('that is bound to %s does not go to %s', (line, url) => {
    expect(isSecretHost(line)).toBe(true);
    expect(goes(line, url)).toBe(false);
  });

  test.each([
    '*',
    '*.org',
    '*.*.example.org',
    'a*.example.org',
    '*.0.0.1',
    'API.example.org',
    'https://api.example.org',
    'api.example.org/v1',
    'api.example.org.',
    'user@api.example.org',
    'api.example.org:0',
    'api.example.org:65536',
    '127.1',
    '0x7f.0.0.1',
    '[::0001]',
    '',
    ' ',
  ])('cannot be bound to %j', (line) => expect(isSecretHost(line)).toBe(false));

  test('needs every secret of a call to be bound, and the error names the secret, the host and the way out', () => {
    const to = { secure: true, host: 'api.example.org', port: 8443 };
    const bound = { name: 'ONE', hosts: ['api.example.org:8443'] };
    expect(unboundSecret([bound], to)).toBeNull();
    expect(unboundSecret([], to)).toBeNull();
    expect(unboundSecret([bound, { name: 'TWO', hosts: [] }], to)).toEqual({
      message: 'Secret TWO is not bound to api.example.org:8443. It is bound to no host yet.',
      hint: 'Ask an admin to set the secret again with "api.example.org:8443" in its hosts, or call a host that it is bound to.',
    });
  });
});
