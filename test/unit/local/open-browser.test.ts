import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openBrowser } from '../../../local/open-browser.ts';

const URL = 'http://127.0.0.1:4760/';

describe('--open', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-browser-'));
    vi.stubEnv('PATH', folder);
    vi.spyOn(process, 'platform', 'get').mockReturnValue('linux');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
      rmSync(folder, { recursive: true });
    });
  });
  const install = (script: string) => {
    const command = join(folder, 'xdg-open');
    writeFileSync(command, `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
  };

  it('says what it opened, and with which command', async () => {
    install(`echo "$1" > "${folder}/opened"`);

    expect(await openBrowser(URL)).toBe(`Opened ${URL} with xdg-open.`);
    expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(`${URL}\n`);
  });

  it('says what to open if the command is missing', async () => {
    expect(await openBrowser(URL)).toBe(
      `No browser was opened, because xdg-open is not installed. Open ${URL} yourself.`,
    );
  });

  it('says what to open if the command finds no browser', async () => {
    install('exit 3');

    expect(await openBrowser(URL)).toBe(`No browser was opened, because xdg-open failed. Open ${URL} yourself.`);
  });
});
