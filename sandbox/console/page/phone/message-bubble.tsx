import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { formatDateTime, formatTime } from '../components/time.ts';
import { editsOf, isByOperator, type Message } from '../state/api.ts';
import { describeMediaAddress } from './media-address.ts';
import { otherContent } from './other-content.ts';
import { type FormattedRun, parseFormatting } from './parse-formatting.ts';

type MediaKind = Message['media'][number]['kind'];

export const MEDIA_NAMES: Readonly<Record<MediaKind, string>> = {
  image: 'Photo',
  audio: 'Audio',
  file: 'Document',
  video: 'Video',
};

/** A message on the phone. Selecting it shows its timeline. */
export const MessageBubble = (props: {
  message: Message;
  isSelected: boolean;
  isTabStop: boolean;
  onEdit: (message: Message) => void;
}) => {
  const { message, isSelected, isTabStop, onEdit } = props;
  const editedAt = editsOf(message).at(-1);
  return (
    <div class={`bubble${isSelected ? ' selected' : ''}`}>
      {/* Before the link, so that the tab stop after the conversation leads back to the link. */}
      {isSelected && isEditable(message) && (
        <Button class="edit" label="Edit this message" onClick={() => onEdit(message)}>
          Edit
        </Button>
      )}
      <Link
        class="select"
        to={{ selection: { kind: 'message', id: message.id } }}
        isCurrent={isSelected}
        isTabStop={isTabStop}
        label={`Timeline of the ${writerOf(message)}'s message: ${summaryOf(message)}`}
      />
      {'ruleName' in message && message.ruleName && <p class="rule">{message.ruleName}</p>}
      {writerOf(message) === 'operator' && <p class="rule">Operator</p>}
      {message.media.map(({ kind, url }) => (
        <Attachment key={url} kind={kind} url={url} />
      ))}
      {message.text && (
        <p class="text">
          <FormattedText text={message.text} />
        </p>
      )}
      {otherContent(message) !== undefined && <p class="text">{otherContent(message)}</p>}
      <p class="meta">
        {editedAt !== undefined && <span title={`Edited on ${formatDateTime(Date.parse(editedAt))}`}>edited</span>}
        <time dateTime={message.at}>{formatTime(message.at)}</time>
        {'status' in message && <SentStatus {...message} />}
      </p>
    </div>
  );
};

/** The platform lets users edit text, and captions. */
const isEditable = (message: Message): boolean =>
  message.direction === 'in' &&
  otherContent(message) === undefined &&
  !('buttonPayload' in message && message.buttonPayload !== undefined);

const writerOf = (message: Message): 'user' | 'business' | 'operator' => {
  if (message.direction === 'in') return 'user';
  return isByOperator(message) ? 'operator' : 'business';
};

/** Summarizes a message in one line, with an arrow before those of the business. */
export const messagePreview = (message: Message): string =>
  message.direction === 'out' ? `↩ ${summaryOf(message)}` : summaryOf(message);

const summaryOf = (message: Message): string => {
  const { text, media } = message;
  const [first] = media;
  if (text) return withoutFormatting(text);
  return otherContent(message) ?? (first ? MEDIA_NAMES[first.kind] : 'No content');
};

const withoutFormatting = (text: string): string =>
  parseFormatting(text)
    .map((run) => run.text)
    .join('');

/** A text as the phone shows it. */
export const FormattedText = ({ text }: { text: string }) => <>{parseFormatting(text).map(renderRun)}</>;

const renderRun = ({ text, style }: FormattedRun, key: number) => {
  switch (style) {
    case 'plain':
      return text;
    case 'bold':
      return <strong key={key}>{text}</strong>;
    case 'italic':
      return <em key={key}>{text}</em>;
    case 'strikethrough':
      return <s key={key}>{text}</s>;
    case 'code':
      return <code key={key}>{text}</code>;
  }
};

type SentMessage = Extract<Message, { status: string }>;

const SentStatus = ({ status, code }: Pick<SentMessage, 'status' | 'code'>) => {
  switch (status) {
    case 'accepted':
    case 'sent':
      return <Ticks name="Sent" />;
    case 'delivered':
      return <Ticks name="Delivered" isTwo />;
    case 'read':
    case 'answered':
      return <Ticks name={status === 'read' ? 'Read' : 'Answered'} isTwo isColored />;
    case 'failed':
    case 'error':
      return <span class="failed">{code === undefined ? 'Failed' : `Failed: ${code}`}</span>;
  }
};

/** One tick for sent, two for delivered, two colored ones for read. */
const Ticks = ({ name, isTwo = false, isColored = false }: { name: string; isTwo?: boolean; isColored?: boolean }) => (
  <svg class={`ticks${isColored ? ' read' : ''}`} viewBox="0 0 20 12" role="img" aria-label={name}>
    <path d="M1.500 6.500 5 10l6.500-8" />
    {isTwo && <path d="m8 9 1 1 6.500-8" />}
  </svg>
);

/**
 * Shows photos and audio that this server hosts. Everything else is a link, because the page's Content-Security-Policy
 * blocks other origins.
 */
const Attachment = ({ kind, url }: { kind: MediaKind; url: string }) => {
  const isHostedHere = URL.canParse(url) && new URL(url).origin === location.origin;
  if (isHostedHere && kind === 'image') return <img class="photo" src={url} alt="Attachment" />;
  // biome-ignore lint/a11y/useMediaCaption: voice messages have no captions
  if (isHostedHere && kind === 'audio') return <audio controls src={url} preload="metadata" />;
  const { href, name, host } = describeMediaAddress(url);
  return (
    // Without an href, it is text and not a link.
    <a class={`attachment ${kind}`} href={href} target="_blank" rel="noreferrer">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={ICONS[kind]} />
      </svg>
      <span class="name">{name}</span>
      <span class="origin">
        {MEDIA_NAMES[kind]} · {isHostedHere ? 'sample' : host}
      </span>
    </a>
  );
};

const ICONS = {
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01',
  audio: 'M5 10v4M9 6v12M13 9v6M17 4v16M21 10v4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  video: 'M4 6h11v12H4zM15 11l5-3v8l-5-3',
};
