type Media = { kind: 'image' | 'audio' | 'file'; url: string };

const NAMES = { image: 'Photo', audio: 'Audio', file: 'Document' };

/**
 * A photo or an audio of this server is shown. Any other is named and can be opened: the console itself asks no outside
 * address for anything, and its Content-Security-Policy would not let it.
 */
export const MediaView = ({ kind, url }: Media) => {
  if (isOwn(url) && kind === 'image') return <img class="photo" src={url} alt="From the message" />;
  // biome-ignore lint/a11y/useMediaCaption: what somebody said has no captions
  if (isOwn(url) && kind === 'audio') return <audio controls src={url} preload="metadata" />;
  return (
    <a class={`attachment ${kind}`} href={url} target="_blank" rel="noreferrer">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={ICONS[kind]} />
      </svg>
      <span class="name">{fileName(url)}</span>
      <span class="from">
        {NAMES[kind]} · {isOwn(url) ? 'sample' : hostOf(url)}
      </span>
    </a>
  );
};

const ICONS = {
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01',
  audio: 'M5 10v4M9 6v12M13 9v6M17 4v16M21 10v4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
};

const isOwn = (url: string): boolean => URL.canParse(url) && new URL(url).origin === location.origin;
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'no address');
const fileName = (url: string): string =>
  (URL.canParse(url) && decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')) || url;
