package parley.examples;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;

/**
 * Receives Parley's events from an SQS queue, and records messages and outcomes in a database.
 *
 * <pre>
 * java -cp "target/classes:target/libraries/*" parley.examples.Consume jdbc:h2:./parley
 * </pre>
 *
 * <p>Needs EVENTS_QUEUE_URL, and in an account the permissions sqs:ReceiveMessage and sqs:DeleteMessage on the queue: a
 * standard queue with a dead-letter queue, which the setting events.targets or a rule on the bus sends the events to. See
 * {@code examples/README.md} for a queue of the local run, and {@code docs/events.md} for the events. Set it up as in
 * {@link Send}.
 *
 * <p>Events arrive at least once and in any order. This program records an event's ID in the same transaction as its
 * effect, so a duplicate has no effect, and it can be stopped at any point. It deletes events that it does not know: a new
 * version of Parley may publish more. An event that it fails to handle stays in the queue, is received again, and in the
 * end goes to the dead-letter queue.
 */
public final class Consume {
  enum Result {
    HANDLED("handled"),
    DUPLICATE("a duplicate"),
    UNKNOWN("not known to this program");

    private final String text;

    Result(String text) {
      this.text = text;
    }
  }

  private final SqsClient sqs;
  private final String queueUrl;
  private final Connection database;

  private Consume(SqsClient sqs, String queueUrl, Connection database) {
    this.sqs = sqs;
    this.queueUrl = queueUrl;
    this.database = database;
  }

  public static void main(String[] args) throws SQLException {
    var queueUrl = System.getenv("EVENTS_QUEUE_URL");
    if (args.length != 1 || queueUrl == null) {
      System.err.println("Usage: EVENTS_QUEUE_URL=… Consume JDBC_URL");
      System.exit(2);
    }
    try (var sqs = SqsClient.create();
        var database = DriverManager.getConnection(args[0])) {
      createTables(database);
      database.setAutoCommit(false);
      var consumer = new Consume(sqs, queueUrl, database);
      while (true) {
        consumer.forgetOldEvents();
        consumer.receive();
      }
    }
  }

  private static void createTables(Connection database) throws SQLException {
    try (var statement = database.createStatement()) {
      statement.execute(
          """
          CREATE TABLE IF NOT EXISTS handled_events
            (id VARCHAR PRIMARY KEY, handled_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP)""");
      statement.execute(
          "CREATE TABLE IF NOT EXISTS messages (message_id VARCHAR PRIMARY KEY, contact VARCHAR, text VARCHAR, at VARCHAR)");
      statement.execute(
          "CREATE TABLE IF NOT EXISTS sends (request_id VARCHAR PRIMARY KEY, outcome VARCHAR, at VARCHAR)");
    }
  }

  /** An operator can redrive events for 14 days. */
  private void forgetOldEvents() throws SQLException {
    try (var statement = database.createStatement()) {
      statement.executeUpdate("DELETE FROM handled_events WHERE handled_at < CURRENT_TIMESTAMP - INTERVAL '15' DAY");
    }
    database.commit();
  }

  /** Receives up to ten messages, and deletes those that need no other attempt. */
  private void receive() {
    var response = sqs.receiveMessage(call -> call.queueUrl(queueUrl).maxNumberOfMessages(10).waitTimeSeconds(20));
    var done = new ArrayList<DeleteMessageBatchRequestEntry>();
    for (var message : response.messages()) {
      try {
        var event = Event.parse(message.body());
        System.out.printf("%s %s is %s.%n", event.name(), event.id(), handle(event).text);
      } catch (JsonProcessingException | SQLException | RuntimeException e) {
        System.out.printf("The message %s was not handled: %s%n", message.messageId(), e);
        continue;
      }
      done.add(
          DeleteMessageBatchRequestEntry.builder()
              .id(Integer.toString(done.size()))
              .receiptHandle(message.receiptHandle())
              .build());
    }
    if (!done.isEmpty()) {
      // A message that was not deleted is received again, and is then a duplicate.
      sqs.deleteMessageBatch(call -> call.queueUrl(queueUrl).entries(done));
    }
  }

  private Result handle(Event event) throws SQLException {
    try {
      if (!isFirst(event)) {
        return Result.DUPLICATE;
      }
      var result =
          switch (event.name()) {
            case "MessageReceived" -> recordMessage(event);
            case "SendAccepted" -> recordOutcome(event, "accepted");
            case "SendRefused" -> recordOutcome(event, "refused");
            case "SendRejected" -> recordOutcome(event, "rejected");
            case "SendExpired" -> recordOutcome(event, "expired");
            case "SendUncertain" -> recordOutcome(event, "uncertain");
            case "SendCancelled" -> recordOutcome(event, "cancelled");
            // An accepted message can fail minutes later.
            case "SendFailed" -> recordOutcome(event, "failed");
            default -> Result.UNKNOWN;
          };
      database.commit();
      return result;
    } finally {
      // Without effect after a commit.
      database.rollback();
    }
  }

  private boolean isFirst(Event event) throws SQLException {
    var sql =
        """
        MERGE INTO handled_events USING (VALUES (CAST(? AS VARCHAR))) AS event (id) ON handled_events.id = event.id
        WHEN NOT MATCHED THEN INSERT (id) VALUES (event.id)""";
    try (var statement = database.prepareStatement(sql)) {
      statement.setString(1, event.id());
      return statement.executeUpdate() == 1;
    }
  }

  private Result recordMessage(Event event) throws SQLException {
    try (var statement = database.prepareStatement("MERGE INTO messages KEY (message_id) VALUES (?, ?, ?, ?)")) {
      statement.setString(1, event.required("messageId"));
      statement.setString(2, event.optional("/platformContactId"));
      // Absent if the stage's setting events.content is false. Then, GET /v1/messages/{messageId} returns it.
      statement.setString(3, event.optional("/content/text"));
      statement.setString(4, event.required("at"));
      statement.executeUpdate();
    }
    return Result.HANDLED;
  }

  /** An uncertain send can be confirmed later, and its events can arrive in any order: the latest counts. */
  private Result recordOutcome(Event event, String outcome) throws SQLException {
    var sql =
        """
        MERGE INTO sends USING (VALUES (CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS VARCHAR)))
          AS event (request_id, outcome, at) ON sends.request_id = event.request_id
        WHEN MATCHED AND event.at > sends.at THEN UPDATE SET outcome = event.outcome, at = event.at
        WHEN NOT MATCHED THEN INSERT VALUES (event.request_id, event.outcome, event.at)""";
    try (var statement = database.prepareStatement(sql)) {
      statement.setString(1, event.required("requestId"));
      statement.setString(2, outcome);
      statement.setString(3, event.required("at"));
      statement.executeUpdate();
    }
    return Result.HANDLED;
  }
}
