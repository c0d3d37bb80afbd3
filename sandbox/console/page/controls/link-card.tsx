import { useState } from 'preact/hooks';
import { Card } from '../parts/card.tsx';
import { notice } from '../state/console-state.ts';
import { ask } from '../state/service.ts';

type Link = { url: string; qr: string };

/** Makes a click-to-chat link, by which a user writes first (contract, "Rules of use" 2). */
export const LinkCard = () => {
  const [text, setText] = useState('Hello, I have a question.');
  const [link, setLink] = useState<Link | undefined>();
  const make = async () => {
    const asked = await ask<Link>('POST', '/sandbox/links', { text });
    if (asked.ok) setLink(asked.value);
    else notice(asked.why, true);
  };
  return (
    <Card title="Click-to-chat link">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <label class="field">
          Prefilled text
          <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <button type="submit">Make a link</button>
      </form>
      {link && (
        <p class="link">
          <img src={ofThisServer(link.qr)} alt="QR code of the link" />
          <a href={ofThisServer(link.url)}>{link.url}</a>
        </p>
      )}
    </Card>
  );
};

/** Its path here, by whatever name of this machine the page was opened. */
const ofThisServer = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};
